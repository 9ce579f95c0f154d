// Drives the widget in Chromium. Arguments: the origins of a page that may chat, of one that may not, of one behind a proxy that
// knows no sockets, of the server, of one behind a line that is cut and mended by requests to the last one.
import { createRequire } from 'node:module'
import assert from 'node:assert/strict'

const { chromium } = createRequire(process.env.WIDGET_PACKAGES + '/')('playwright-core')
const [shop, evil, walled, server, far, pliers] = process.argv.slice(2)
const shots = process.env.RECALLER_WIDGET_SHOTS
const browser = await chromium.launch({
	executablePath: process.env.RECALLER_CHROMIUM, headless: true,
	args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
let complaints = []
process.on('exit', code => code && console.log('the browser said:', complaints))

async function visit(origin, { context = {}, query = '', within } = {}) {
	const ctx = within ?? await browser.newContext({ viewport: { width: 1000, height: 720 }, locale: 'en-GB', ...context })
	const page = await ctx.newPage()
	page.setDefaultTimeout(15_000)
	page.on('console', m => m.type() == 'error' && complaints.push(m.text()))
	page.on('pageerror', e => complaints.push(String(e)))
	page.sockets = 0
	page.on('websocket', () => page.sockets++)
	await page.goto(origin + '/' + query)
	return page
}
const box = page => page.getByRole('textbox')
const said = page => page.locator('.m').allInnerTexts().then(list => list.map(t => t.replace(/^(You|Answer|Sie|Antwort|Usted|Respuesta): \s*/, '').trim()))
const wants = async (page, list) => {
	let got
	for (let i = 0; i < 150; i++) {
		got = await said(page)
		// The answer in the making is neither's yet: what is written meanwhile is before it.
		if (JSON.stringify(got) == JSON.stringify(list) && !await page.locator('.m:not(.a):not(.v)').count()) return
		await page.waitForTimeout(100)
	}
	assert.deepEqual(got, list)
}
const write = async (page, words) => {
	await box(page).fill(words)
	await box(page).press('Enter')
}
const told = (what) => console.log('ok  ' + what)
const calm = what => { assert.deepEqual(complaints, [], what + ': the browser complains'); told(what) }

const greeting = 'Hello! How can we help?'
const here = 'Yes, I am here.'

// By keyboard alone: the button, the box, Escape.
let page = await visit(shop)
assert.equal(page.sockets, 0, 'a page that is only looked at opens nothing')
const launcher = page.getByRole('button', { name: 'Open chat' })
await launcher.focus()
await page.keyboard.press('Enter')
await page.getByRole('dialog', { name: 'Lakeside Dental' }).waitFor()
await wants(page, [greeting])
assert.equal(await box(page).evaluate(e => e.getRootNode().activeElement == e), true, 'the box has the focus')
calm('opens by keyboard, greets')
await page.keyboard.type('Are you there?')
await page.keyboard.press('Enter')
await wants(page, [greeting, 'Are you there?', here])
assert.equal(page.sockets, 1)
calm('an answer comes, over a socket')

// Piece by piece: half of a slow answer is there before the rest.
await write(page, 'Tell me slowly')
await page.waitForFunction(() => {
	const list = document.body.lastElementChild.shadowRoot.querySelectorAll('.m')
	return /One\b/.test(list[list.length - 1].textContent) && !/three/.test(list[list.length - 1].textContent)
})
await wants(page, [greeting, 'Are you there?', here, 'Tell me slowly', 'One two three.'])
calm('an answer is shown while it is made')
await page.screenshot({ path: shots + '/light.png' })

await page.keyboard.press('Escape')
assert.equal(await page.getByRole('dialog').count(), 0)
assert.equal(await launcher.evaluate(e => e.getRootNode().activeElement == e), true, 'the button has the focus again')
calm('Escape closes')

// A reload goes on with the same conversation; a second tab sees the same, at once.
await launcher.click()
await page.reload()
const talk = [greeting, 'Are you there?', here, 'Tell me slowly', 'One two three.']
await wants(page, talk)
calm('a reload keeps the conversation')
const second = await visit(shop, { within: page.context() })
await second.getByRole('button', { name: 'Open chat' }).click()
await wants(second, talk)
await write(second, 'From the other tab')
await wants(page, [...talk, 'From the other tab', here])
calm('two tabs are one chat')
await second.close()

// A reload amid an answer: nothing is lost, nothing is there twice.
await write(page, 'Tell me slowly')
await page.waitForTimeout(150)
await page.reload()
await wants(page, [...talk, 'From the other tab', here, 'Tell me slowly', 'One two three.'])
calm('a reload amid an answer')

// Hostile words are words, and only links of the web are links.
const hostile = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> javascript:alert(1) https://example.com/a?b=1&c=<b> and "http://example.org".'
await write(page, hostile)
await page.waitForFunction(words => [...document.body.lastElementChild.shadowRoot.querySelectorAll('.m.v')].some(e => e.textContent.includes(words)), hostile)
await page.waitForFunction(words => { const list = document.body.lastElementChild.shadowRoot.querySelectorAll('.m'); return list[list.length - 1].textContent.endsWith(words) }, here)
await write(page, 'Echo: ' + hostile)
await page.waitForFunction(() => [...document.body.lastElementChild.shadowRoot.querySelectorAll('.m.a')].some(e => e.textContent.includes('onerror')))
assert.equal(await page.evaluate(() => window.hacked), undefined)
const links = await page.locator('.m.a a').evaluateAll(list => list.map(a => [a.getAttribute('href'), a.rel, a.target]))
assert.deepEqual(links.map(l => l[0]), ['https://example.com/a?b=1&c=', 'http://example.org'])
assert.ok(links.every(l => l[1].includes('noopener') && l[1].includes('noreferrer') && l[2] == '_blank'))
assert.equal(await page.locator('.m img, .m script').count(), 0)
calm('hostile words are words')
await page.screenshot({ path: shots + '/hostile.png' })

// The end, and a new beginning; then the visitor has this device forget him.
await page.getByRole('button', { name: 'End chat' }).click()
await page.getByText('The chat has ended.').waitFor()
const before = await page.evaluate(() => ({ ...localStorage }))
await page.screenshot({ path: shots + '/ended.png' })
await page.getByRole('button', { name: 'Forget me on this device' }).click()
await wants(page, [greeting])
const after = await page.evaluate(() => ({ ...localStorage }))
assert.equal(Object.keys(before).length, 1)
assert.notDeepEqual(before, after, 'the token is another one')
await write(page, 'Are you there?')
await wants(page, [greeting, 'Are you there?', here])
calm('ends, forgets, begins anew')
await page.context().close()

// The line breaks amid an answer, the visitor writes on, and the line is mended: nothing is lost, and nothing is there twice.
page = await visit(far)
await page.getByRole('button', { name: 'Open chat' }).click()
await wants(page, [greeting])
await write(page, 'Tell me slowly')
await page.waitForTimeout(300)
await fetch(pliers + '/cut')
await write(page, 'Are you there?')
await page.getByText('Connecting…').waitFor()
await page.screenshot({ path: shots + '/broken.png' })
await page.waitForTimeout(2500)
await fetch(pliers + '/mend')
await wants(page, [greeting, 'Tell me slowly', 'One two three.', 'Are you there?', here])
await page.reload()
await wants(page, [greeting, 'Tell me slowly', 'One two three.', 'Are you there?', here])
complaints = complaints.filter(c => !/WebSocket|ERR_/.test(c))
calm('the line breaks, and is mended')
await page.context().close()

// A page of an origin that the tenant does not list gets nothing, neither over a socket nor over a stream.
page = await visit(evil)
await page.getByRole('button', { name: 'Open chat' }).click()
await page.waitForTimeout(4000)
assert.deepEqual(await said(page), [])
assert.equal(await page.evaluate(() => Object.keys(localStorage).length), 0, 'no token was given')
assert.ok(complaints.some(c => /403|CORS/.test(c)), 'the browser says why')
complaints = []
told('a page of another origin is refused')
await page.context().close()

// Where sockets are blocked, a stream does.
page = await visit(walled, { context: { locale: 'es-ES', colorScheme: 'dark' }, query: '?color=%230f766e' })
await page.getByRole('button', { name: 'Abrir chat' }).click()
await wants(page, [greeting])
complaints = complaints.filter(c => !/WebSocket/.test(c))
await write(page, 'Are you there?')
await wants(page, [greeting, 'Are you there?', here])
await write(page, 'Tell me slowly')
await page.waitForTimeout(150)
await page.reload()
await wants(page, [greeting, 'Are you there?', here, 'Tell me slowly', 'One two three.'])
complaints = complaints.filter(c => !/WebSocket/.test(c))
calm('where sockets are blocked, a stream does')
await page.screenshot({ path: shots + '/dark.png' })
await page.context().close()

// On a telephone it fills the screen.
page = await visit(shop, { context: { viewport: { width: 390, height: 780 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true, locale: 'de-DE' } })
await page.screenshot({ path: shots + '/mobile-closed.png' })
await page.getByRole('button', { name: 'Chat öffnen' }).tap()
await wants(page, [greeting])
await write(page, 'Guten Tag, ich möchte meinen Termin am Donnerstag verschieben, wenn das noch möglich ist.')
await wants(page, [greeting, 'Guten Tag, ich möchte meinen Termin am Donnerstag verschieben, wenn das noch möglich ist.', here])
const size = await page.getByRole('dialog').boundingBox()
assert.ok(size.width == 390 && size.height == 780, 'it fills the screen: ' + JSON.stringify(size))
calm('on a telephone, in German')
await page.screenshot({ path: shots + '/mobile.png' })
await page.context().close()

// Who is signed in to the shop is so in the chat, and nothing of it stays in the browser.
page = await visit(shop, { query: '?token-url=/my/chat-token' })
await page.getByRole('button', { name: 'Open chat' }).click()
await wants(page, [greeting])
await write(page, 'Are you there?')
await wants(page, [greeting, 'Are you there?', here])
assert.equal(await page.evaluate(() => Object.keys(localStorage).length), 0)
await page.reload()
await wants(page, [greeting, 'Are you there?', here])
calm('who is signed in')
await page.context().close()

// Its own page, in the dark.
page = await visit(server + '/chat/default/demo', { context: { colorScheme: 'dark' } })
await page.getByRole('button', { name: 'Open chat' }).click()
await wants(page, [greeting])
await write(page, 'Are you there?')
await wants(page, [greeting, 'Are you there?', here])
calm('the page that shows it')
await page.screenshot({ path: shots + '/demo-dark.png' })
await page.context().close()
await browser.close()
