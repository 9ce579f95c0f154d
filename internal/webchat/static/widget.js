// The web chat of Recaller, in a page: <script src="https://…/chat/widget.js" data-tenant="…" defer></script>
// docs/web-chat.md has its attributes, and the protocol. Comments and indentation are left out where it is served, which has
// 6144 bytes at most as it is packed. Whatever comes from the server is put in as text.
(() => {
	const script = document.currentScript, data = script.dataset, url = new URL(data.tenant + '/', script.src).href
	const store = 'recaller-chat:' + url, lang = data.lang || navigator.language
	const words = {
		en: ['Open chat', 'Close chat', 'Message', 'Send', 'End chat', 'Connecting…', 'This could not be sent.', 'The chat has ended.', 'Forget me on this device', 'Chat', 'No answer came. Please try again.', 'You', 'Answer'],
		de: ['Chat öffnen', 'Chat schließen', 'Nachricht', 'Senden', 'Chat beenden', 'Verbinde…', 'Das konnte nicht gesendet werden.', 'Der Chat ist beendet.', 'Auf diesem Gerät vergessen', 'Chat', 'Es kam keine Antwort. Bitte noch einmal versuchen.', 'Sie', 'Antwort'],
		es: ['Abrir chat', 'Cerrar chat', 'Mensaje', 'Enviar', 'Terminar chat', 'Conectando…', 'No se pudo enviar.', 'El chat ha terminado.', 'Olvidarme en este dispositivo', 'Chat', 'No hubo respuesta. Inténtelo de nuevo.', 'Usted', 'Respuesta'],
	}
	const names = ['open', 'close', 'message', 'send', 'end', 'connecting', 'failed', 'ended', 'forget', 'title', 'unanswered', 'you', 'answer']
	// A browser may keep nothing for this page: then a visitor is somebody new each time.
	let own = lang, kept = {}, open = {}
	try {
		kept = localStorage
		open = sessionStorage
	} catch { }
	const word = name => data[name] || (words[own.slice(0, 2)] || words.en)[names.indexOf(name)]
	const make = (tag, attributes = {}, ...inside) => {
		const e = document.createElement(tag)
		for (const k in attributes) e.setAttribute(k, attributes[k])
		e.append(...inside)
		return e
	}

	const host = make('div'), root = host.attachShadow({mode: 'open'}), style = new CSSStyleSheet()
	style.replaceSync(`:host{all:initial;--a:${CSS.supports('color', data.color) ? data.color : '#1d4ed8'};--b:#fff;--f:#111827;--m:#f0f2f5;--l:#c4cad3;color-scheme:light dark}
*{box-sizing:border-box;font:inherit;color:inherit}
:host,section{font:16px/1.45 system-ui,sans-serif;color:var(--f)}
@media(prefers-color-scheme:dark){:host{--b:#16191f;--f:#eef0f3;--m:#2a2f38;--l:#4a5260}}
button{border:0;border-radius:8px;padding:6px 12px;background:none;cursor:pointer;min-height:40px}
header button{border:1px solid var(--l)}
:focus-visible{outline:3px solid var(--f);outline-offset:1px}
::placeholder{color:inherit;opacity:.7}
.o,.s{background:var(--a);color:#fff}
.o{position:fixed;right:20px;bottom:20px;width:56px;height:56px;border-radius:50%;box-shadow:0 2px 12px #0005;z-index:2147483646}
i{position:absolute;inset:17px 15px 20px;border-radius:7px;background:#fff}
i:after{content:'';position:absolute;left:7px;top:100%;border:4px solid #fff;border-right-color:#0000;border-bottom-color:#0000}
section{position:fixed;right:20px;bottom:88px;width:370px;height:min(560px,calc(100dvh - 108px));display:flex;flex-direction:column;background:var(--b);border:1px solid var(--l);border-radius:14px;overflow:hidden;box-shadow:0 8px 32px #0004;z-index:2147483647}
[hidden]{display:none!important}
header,form{display:flex;gap:10px;align-items:center;padding:10px 12px;border-bottom:1px solid var(--l)}
h2{flex:1;margin:0;font-weight:600;overflow-wrap:anywhere}
form{border:0;border-top:1px solid var(--l);align-items:end}
textarea{flex:1;resize:none;min-height:40px;max-height:120px;field-sizing:content;border:1px solid var(--l);border-radius:8px;padding:8px;background:var(--b)}
.l{flex:1;overflow:auto;padding:12px;display:flex;flex-direction:column;gap:8px}
.l>*{margin:0}
.l>:first-child{margin-top:auto}
.m{max-width:85%;padding:8px 12px;border-radius:12px;background:var(--m);align-self:start;white-space:pre-wrap;overflow-wrap:anywhere}
.v{background:var(--a);color:#fff;align-self:end}
.p{opacity:.65}
.x{outline:2px solid #dc2626}
.i,.w{font-size:14px;text-align:center}
.i:empty{display:none}
.i{margin:0;padding:4px}
.w button{text-decoration:underline}
.h{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
@media(max-width:480px){section{inset:0;width:auto;height:auto;border:0;border-radius:0}}
@media(prefers-reduced-motion:no-preference){.t{animation:t 1s infinite alternate}@keyframes t{to{opacity:.3}}}`)
	root.adoptedStyleSheets = [style]
	const launcher = make('button', {class: 'o', 'aria-expanded': false}, make('i')), title = make('h2', {id: 't'})
	const finish = make('button', {type: 'button'}), close = make('button', {type: 'button'}, '✕')
	const log = make('div', {class: 'l', role: 'log', tabindex: 0}), info = make('p', {class: 'i', role: 'status'})
	const text = make('textarea', {rows: 1, maxlength: 4000}), send = make('button', {class: 's'}), form = make('form', {}, text, send)
	const panel = make('section', {role: 'dialog', 'aria-labelledby': 't', hidden: ''}, make('header', {}, title, finish, close), log, info, form)
	root.append(launcher, panel)

	const label = () => {
		launcher.ariaLabel = word('open')
		close.ariaLabel = word('close')
		text.ariaLabel = text.placeholder = word('message')
		send.textContent = word('send')
		finish.textContent = word('end')
		log.ariaLabel = title.textContent ||= word('title')
		panel.lang = own
	}

	let token = kept[store], last = '', conversation = '', socket, stream, fails = 0, streams = false, begun, greeting, current, waiting = {}
	const rest = () => log.scrollTop = log.scrollHeight
	// fill puts words in as text, and makes links of what is one.
	const fill = (bubble, said, from) => {
		bubble.replaceChildren(make('span', {class: 'h'}, word(from == 'visitor' ? 'you' : 'answer') + ': '))
		said.split(/(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]])/).forEach((part, i) =>
			bubble.append(i % 2 ? make('a', {href: part, target: '_blank', rel: 'noopener noreferrer nofollow'}, part) : part))
		rest()
		return bubble
	}
	const bubble = (said, from) => {
		const b = fill(make('p', {class: 'm ' + from[0]}), said, from)
		log.append(b)
		rest()
		return b
	}
	const show = f => {
		const mine = waiting[f.ref]
		delete waiting[f.ref]
		if (f.id) last = f.id, conversation = f.id.replace(/:\d+$/, '')
		let b = mine?.bubble
		if (f.id && root.getElementById(f.id)) return b?.remove()
		if (f.type == 'done') b = current, current = 0
		else if (greeting?.said == f.text) b = greeting.bubble
		if (b) fill(b, f.text, f.from).className = 'm ' + f.from[0]
		else b = bubble(f.text, f.from)
		if (f.id) b.id = f.id
	}
	const answer = () => current ||= bubble('…', 'agent')
	const put = ref => {
		const w = waiting[ref], body = JSON.stringify({type: 'message', ref, text: w.text, conversation})
		if (!begun) return
		if (socket) socket.send(body)
		else post('messages', body, ref)
	}
	const take = {
		session(f) {
			begun = 1
			fails = 0
			info.textContent = ''
			if (f.token) token = f.token, data.tokenUrl || (kept[store] = token)
			own = data.lang || f.language || lang
			title.textContent = data.title || f.title || ''
			label()
			if (!f.resumed) {
				log.replaceChildren()
				last = ''
				greeting = current = 0
				if (!f.messages[0] && f.greeting) greeting = {said: f.greeting, bubble: bubble(f.greeting, 'agent')}
			}
			current &&= current.remove()
			conversation = f.conversation || conversation
			f.messages.forEach(show)
			if (f.answering) answer(), take.piece(f.answering)
			for (const ref in waiting) log.append(waiting[ref].bubble), put(ref)
			rest()
		},
		message: show,
		done: show,
		typing() {
			log.append(answer())
			current.className = 'm t'
			rest()
		},
		piece(f) {
			if (answer().className != 'm') fill(current, '', 'agent').className = 'm'
			current.append(f.text)
			rest()
		},
		error(f) {
			const w = waiting[f.ref]
			if (w && f.retry_after) return setTimeout(put, f.retry_after * 1e3, f.ref)
			if (w) w.bubble.className = 'm v x', delete waiting[f.ref]
			else current &&= current.remove()
			info.textContent = word(f.ref ? 'failed' : 'unanswered')
		},
		ended() {
			last = conversation = ''
			greeting = current = 0
			const forget = make('button', {type: 'button'}, word('forget'))
			forget.onclick = () => {
				delete kept[store]
				token = ''
				log.replaceChildren()
				again()
			}
			log.append(make('p', {class: 'w'}, word('ended'), make('br'), data.tokenUrl ? '' : forget))
			rest()
		},
	}
	const on = f => take[f.type]?.(f)
	const headers = () => token ? {Authorization: 'Bearer ' + token} : {}
	const post = (what, body, ref) => fetch(url + what, {method: 'POST', headers: {...headers(), 'Content-Type': 'application/json'}, body}).then(async r => {
		if (r.status == 401) return refused()
		if (ref) on(r.ok ? await r.json() : {type: 'error', ref, retry_after: r.status == 429 || r.status > 499 ? 5 : 0})
	}, () => setTimeout(again, 2e3))
	// refused gets another token, where this one counts no more.
	const refused = () => {
		token = ''
		delete kept[store]
		again()
	}
	// again has the connection made anew: whoever waits for its end does that.
	const again = () => stream ? stream.abort() : socket?.close()
	const lost = code => {
		begun = socket = stream = 0
		info.textContent = word('connecting')
		if (code == 4401) token = '', delete kept[store]
		if (code != 4403) setTimeout(connect, Math.min(3e4, 500 * 2 ** fails++) * (.5 + Math.random()) + (code == 4429 ? 9e3 : 0))
	}
	const connect = async () => {
		try {
			if (data.tokenUrl && !token) token = (await (await fetch(data.tokenUrl)).json()).token
			if (streams) return await listen()
			socket = new WebSocket(url.replace('http', 'ws') + 'socket')
			socket.onopen = () => socket.send(JSON.stringify({type: 'hello', v: 1, token, last}))
			socket.onmessage = e => on(JSON.parse(e.data))
			socket.onclose = e => {
				// A socket that does not even open is blocked somewhere on the way.
				streams = !begun && e.code == 1006
				lost(e.code)
			}
		} catch {
			streams = begun && streams
			lost()
		}
	}
	const listen = async () => {
		stream = new AbortController
		const r = await fetch(url + 'events', {headers: {...headers(), 'Last-Event-ID': last}, signal: stream.signal})
		if (!r.ok) return lost(4e3 + r.status)
		const reader = r.body.pipeThrough(new TextDecoderStream).getReader()
		for (let got = '', part; part = await reader.read(), !part.done;) {
			const list = (got + part.value).split('\n\n')
			got = list.pop()
			for (const e of list) {
				const found = /^data: (.*)/m.exec(e)
				if (found) on(JSON.parse(found[1]))
			}
		}
		lost()
	}
	const toggle = shown => {
		panel.hidden = !shown
		launcher.ariaExpanded = shown
		open[store] = shown ? 1 : ''
		if (shown) text.focus(), rest()
		else launcher.focus()
		if (shown && !socket && !stream) label(), info.textContent = word('connecting'), connect()
	}
	launcher.onclick = () => toggle(panel.hidden)
	close.onclick = () => toggle(false)
	finish.onclick = () => socket ? socket.send('{"type":"end"}') : post('end')
	panel.onkeydown = e => {
		if (e.key == 'Escape') toggle(false)
		e.stopPropagation()
	}
	text.onkeydown = e => {
		if (e.key == 'Enter' && !e.shiftKey && !e.isComposing) e.preventDefault(), form.requestSubmit()
	}
	form.onsubmit = e => {
		e.preventDefault()
		const said = text.value.trim(), ref = Math.random().toString(36).slice(2) + Date.now()
		if (!said) return
		info.textContent = text.value = ''
		waiting[ref] = {text: said, bubble: bubble(said, 'visitor')}
		waiting[ref].bubble.classList.add('p')
		put(ref)
	}
	label()
	const page = document.body || document.documentElement
	page.append(host)
	if (open[store]) toggle(true)
})()
