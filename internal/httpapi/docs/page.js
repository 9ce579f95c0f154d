'use strict';
// Draws the description at /openapi.json. Text goes in as text, never as markup.
(async () => {
  const main = document.getElementById('main'), nav = document.getElementById('nav');
  const el = (tag, props, ...kids) => {
    const e = Object.assign(document.createElement(tag), props || {});
    e.append(...kids.filter(k => k !== null && k !== undefined));
    return e;
  };
  // The little of Markdown that the description uses: paragraphs, **strong** and `code`.
  const inline = text => (text || '').split(/(`[^`]+`|\*\*[^*]+\*\*)/).map(p =>
    p.startsWith('`') ? el('code', { textContent: p.slice(1, -1) }) :
    p.startsWith('**') ? el('strong', { textContent: p.slice(2, -2) }) : p);
  const prose = text => (text || '').split(/\n\n+/).filter(Boolean).map(p => el('p', null, ...inline(p)));

  let api;
  try {
    const res = await fetch('/openapi.json');
    if (!res.ok) throw new Error('status ' + res.status);
    api = await res.json();
  } catch (err) {
    main.replaceChildren(el('p', { textContent: 'The description could not be loaded: ' + err.message }));
    return;
  }
  const schemas = api.components.schemas;
  const nameOf = s => s.$ref ? s.$ref.split('/').pop() : '';
  const follow = s => s.$ref ? schemas[nameOf(s)] || {} : s;
  const link = name => el('a', { href: '#schema-' + name, textContent: name });

  const typeOf = s => {
    if (!s) return [''];
    if (s.$ref) return [link(nameOf(s))];
    if (s.oneOf) return s.oneOf.flatMap((o, i) => i ? [' or ', ...typeOf(o)] : typeOf(o));
    const types = [].concat(s.type || 'any');
    if (types.includes('array')) return ['list of ', ...typeOf(s.items)];
    if (s.type === 'object' && s.additionalProperties && s.additionalProperties !== true) return ['map of ', ...typeOf(s.additionalProperties)];
    return [types.join(' or ') + (s.format && s.format.startsWith('date') ? ', ' + s.format : '')];
  };
  const limits = s => {
    const out = [], add = (k, v) => { if (v !== undefined) out.push(k + ' ' + v); };
    if (s.enum) out.push('one of: ' + s.enum.join(', '));
    if (s.default !== undefined) add('default', s.default);
    add('from', s.minimum); add('to', s.maximum); add('at most', s.maxLength && s.maxLength + ' characters');
    add('at least', s.minItems && s.minItems + ' entries'); add('at most', s.maxItems && s.maxItems + ' entries');
    return out.join('; ');
  };
  const row = (name, s, required, about) => el('tr', null,
    el('td', null, el('code', { textContent: name }), required ? '' : el('span', { className: 'soft', textContent: ' optional' })),
    el('td', null, ...typeOf(s)),
    el('td', null, ...inline(about || s.description || ''), limits(s) ? el('div', { className: 'soft', textContent: limits(s) }) : null));
  const table = rows => el('table', null, el('tr', null, el('th', { textContent: 'Name' }), el('th', { textContent: 'Type' }), el('th', { textContent: 'Meaning' })), ...rows);
  const fields = s => table(Object.entries(s.properties || {}).map(([n, p]) => row(n, p, (s.required || []).includes(n))));

  // An example made of the fields' own examples.
  const example = (s, depth = 0) => {
    s = follow(s || {});
    if (s.examples) return s.examples[0];
    if (s.oneOf) return example(s.oneOf[0], depth);
    const type = [].concat(s.type || '')[0];
    if (type === 'array') return depth > 6 ? [] : [example(s.items, depth + 1)];
    if (s.properties) return depth > 6 ? {} : Object.fromEntries(Object.entries(s.properties).map(([n, p]) => [n, example(p, depth + 1)]));
    if (s.enum) return s.enum[0];
    return { string: '…', integer: 0, number: 0, boolean: false, object: {} }[type] ?? null;
  };
  const sample = s => el('details', null, el('summary', { textContent: 'Example' }), el('pre', { textContent: JSON.stringify(example(s), null, 2) }));

  const content = (c, title) => Object.entries(c || {}).flatMap(([type, m]) => [
    el('h4', { textContent: title + ' ' + type }), el('p', null, ...typeOf(m.schema)),
    type === 'application/json' ? sample(m.schema) : null]);

  const operation = (path, method, op) => {
    const params = (op.parameters || []).map(p => row(p.name, p.schema, p.required, (p.description || p.schema.description || '') + ' (' + p.in + ')'));
    const good = Object.entries(op.responses).filter(([s]) => s < '4'), bad = Object.entries(op.responses).filter(([s]) => s >= '4');
    return el('article', { id: op.operationId },
      el('header', null, el('span', { className: 'method ' + method, textContent: method.toUpperCase() }), el('span', { className: 'path', textContent: path })),
      el('h3', { textContent: op.summary }), ...prose(op.description),
      params.length ? el('h4', { textContent: 'Parameters' }) : null, params.length ? table(params) : null,
      ...content(op.requestBody && op.requestBody.content, 'Body'),
      ...good.flatMap(([s, r]) => [el('h4', { textContent: 'Answer ' + s }), el('p', null, ...inline(r.description)), ...content(r.content, 'As')]),
      el('details', null, el('summary', { textContent: 'Problems' }), el('table', null,
        ...bad.map(([s, r]) => el('tr', null, el('td', { textContent: s }), el('td', null, ...inline(r.description)))))));
  };

  main.replaceChildren(el('h1', { textContent: api.info.title + ' API' }),
    el('p', { className: 'soft' }, 'Version ' + api.info.version + ' · ', el('a', { href: '/openapi.json', textContent: 'openapi.json' }), ' · ', el('a', { href: '/openapi.yaml', textContent: 'openapi.yaml' })),
    ...prose(api.info.description));
  for (const tag of api.tags) {
    nav.append(el('h2', { textContent: tag.name }));
    main.append(el('h2', { textContent: tag.name }), ...prose(tag.description));
    for (const [path, item] of Object.entries(api.paths))
      for (const method of ['get', 'post', 'put', 'patch', 'delete'])
        if (item[method] && item[method].tags.includes(tag.name)) {
          nav.append(el('a', { href: '#' + item[method].operationId, textContent: item[method].summary }));
          main.append(operation(path, method, item[method]));
        }
  }
  nav.append(el('h2', { textContent: 'Schemas' }));
  main.append(el('h2', { textContent: 'Schemas' }));
  for (const [name, s] of Object.entries(schemas)) {
    nav.append(el('a', { href: '#schema-' + name, textContent: name }));
    main.append(el('article', { id: 'schema-' + name }, el('h3', { textContent: name }), fields(s), sample(s)));
  }
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
})();
