import { chromium } from 'playwright-core'
import { readFileSync, existsSync } from 'node:fs'
const [base, path, name, ...opts] = process.argv.slice(2)
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-dev-shm-usage'] })
const sizes = opts.includes('narrow') ? [[390, 844]] : opts.includes('both') ? [[1440, 900], [390, 844]] : [[1440, 900]]
const schemes = opts.includes('dark') ? ['dark'] : opts.includes('themes') ? ['light', 'dark'] : ['light']
for (const [width, height] of sizes) for (const colorScheme of schemes) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, deviceScaleFactor: 1 })
  const page = await context.newPage()
  const o = base
  const csp = `default-src 'none'; script-src ${o}/dashboard/assets/; style-src ${o}/dashboard/assets/; font-src ${o}/dashboard/assets/; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`
  const types = { js: 'text/javascript', css: 'text/css', html: 'text/html', svg: 'image/svg+xml', woff2: 'font/woff2' }
  await context.route(/\/dashboard(\/|$)/, (route) => {
    const { pathname } = new URL(route.request().url())
    const file = '/work/wt/dashui/dist/dashboard/' + (pathname.startsWith('/dashboard/assets/') ? pathname.slice(11) : 'index.html')
    return existsSync(file) ? route.fulfill({ body: readFileSync(file), contentType: types[file.split('.').pop()], headers: { 'content-security-policy': csp } }) : route.fulfill({ status: 404 })
  })
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && console.log('console', m.text()))
  page.on('pageerror', (e) => console.log('pageerror', e.message, e.stack?.slice(0, 300)))
  page.on('response', (r) => r.status() >= 400 && console.log(r.status(), r.url().slice(0, 200)))
  const who = opts.find((o) => o.startsWith('as:'))?.slice(3) ?? 'jane@shop.example'
  if (who !== 'nobody') { const r = await context.request.post(base + '/v1/account/sign-in', { form: { email: who, password: 'correct horse battery' }, headers: { origin: base }, maxRedirects: 0 }); if (r.status() !== 303) console.log('sign-in', r.status()) }
  await page.goto(base + path)
  await page.waitForFunction(() => document.querySelector('h1') && !document.querySelector('.skeleton'), null, { timeout: 20000 }).catch(() => console.log('still loading'))
  await page.waitForTimeout(Number(opts.find((o) => /^\d+$/.test(o)) ?? 1800))
  const act = opts.find((o) => o.startsWith('js:'))
  if (act) { await page.evaluate(act.slice(3)); await page.waitForTimeout(600) }
  const key = opts.find((o) => o.startsWith('key:'))
  if (key) { for (const k of key.slice(4).split(' ')) await page.keyboard.press(k); await page.waitForTimeout(800) }
  const file = `/tmp/shots/${name}-${width}-${colorScheme}.png`
  await page.screenshot({ path: file, fullPage: opts.includes('full') })
  console.log(file)
}
await browser.close()
