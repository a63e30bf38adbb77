import { openHouse, accept, ok } from './house.ts'
import { aTag, aScript, anEvent } from './tag.ts'
const learnable = process.argv[2] !== 'nolearn'
const on = await openHouse(aTag([aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })], { consent: 'enabled' }))
let n = 0
on.vendor.answer = () => { n++; on.sent.length = 0; on.lines.length = 0; return ok }
const pad = 'x'.repeat(600)
on.start()
const t0 = performance.now()
for (let i = 0; i < 24000; i += 1000) {
  await Promise.all(Array.from({ length: 1000 }, (_, k) => accept(on, anEvent(on.clock.now(), { eventId: `e${i + k}`, ...(learnable && {userEmail: `u${i+k}@example.com`, pageUrl: 'https://shop.example/p?fbclid=abc&x=1'}), data: { value: 30, currency: 'EUR', contents: [{ id: 'sku-1', quantity: 2, item_price: 15, title: pad }] }, storage: { service: { consent: { all: true } } } }), { userId: `usr_${i + k}`, ...(learnable && {origin: 'https://shop.example', ip: '1.2.3.4' }) })))
  while (n < 2 * (i + 1000)) await new Promise(setImmediate)
  if (i % 4000 === 0) { const m = process.memoryUsage(); console.log(i, Math.round(performance.now() - t0), ...[m.rss, m.heapTotal, m.heapUsed, m.external, m.arrayBuffers].map(x => x >> 20)) }
}
process.exit(0)
