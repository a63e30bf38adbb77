/**
 * The intake cost of a TC string of 500 characters, in turns with the same event without it: `node bench/consent.ts [rounds]`.
 * Measures the server's CPU time over all threads. The cost of consent is the difference to the same characters in an unused
 * field.
 */
import { bareTag, startMeasured } from './aglet.ts'
import { eventIdAt, type MakeAsk, median, shopEvent } from './load.ts'
import { sampleIntake } from './sample.ts'
import { using } from './target.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const bits = (value: number, width: number) => value.toString(2).padStart(width, '0')
const encode = (text: string) =>
  text.padEnd(Math.ceil(text.length / 6) * 6, '0').replace(/.{6}/g, (sextet) => alphabet[Number.parseInt(sextet, 2)]!)

/** A string of a visitor who chose vendor by vendor, as banners write it: a bit for each of 930 vendors, three times. */
function tcString(): string {
  const set = () => `${bits(930, 16)}0${Array.from({ length: 930 }, () => (Math.random() < 0.7 ? '1' : '0')).join('')}`
  const time = bits(Math.round(Date.now() / 100) - 864_000, 36)
  const head = `${bits(2, 6)}${time}${time}${bits(880, 12)}${bits(1, 12)}${bits(1, 6)}${bits(133, 12)}${bits(45, 12)}${bits(5, 6)}10`
  const purposes = `${bits(0, 12)}${'1'.repeat(11)}${bits(0, 13)}${bits(0, 6)}11111${bits(0, 13)}0${bits(133, 12)}`
  return `${encode(`${head}${purposes}${set()}${set()}${bits(0, 12)}`)}.${encode(`001${set()}`)}`
}

/** Visitors with different strings, more than the decoder caches. */
const strings = Array.from({ length: 20_000 }, tcString)
let sent = 0
const asking =
  (textsOf: () => object): MakeAsk =>
  (sentAtMs) => {
    const storage = { service: { consentCategories: { all: true }, ...textsOf() } }
    return { body: JSON.stringify({ ...shopEvent(eventIdAt(sentAtMs)), storage }) }
  }
const asks = {
  'no string': asking(() => ({})),
  'the same characters in another field': asking(() => ({ unread: { text: strings[0] } })),
  'other characters each time in another field': asking(() => ({ unread: { text: strings[sent++ % strings.length] } })),
  'one string, known': asking(() => ({ consentTexts: { tcf: strings[0] } })),
  'a string of a new visitor': asking(() => ({ consentTexts: { tcf: strings[sent++ % strings.length] } })),
}

const kinds = Object.entries(asks)

await using([startMeasured({ role: 'edge', ...bareTag })], async ([target]) => {
  const took: Record<string, number[]> = Object.fromEntries(Object.keys(asks).map((name) => [name, []]))
  for (let round = -1; round < Number(process.argv[2] ?? 100); round++)
    for (const at of kinds.keys()) {
      const [name, ask] = kinds[(at + round + kinds.length) % kinds.length]!
      const { cpuUs = 0 } = await sampleIntake(target!, 0.4, ask)
      if (round >= 0) took[name]!.push(cpuUs)
    }
  process.stdout.write(`${strings[0]!.length} characters\n`)
  const more = (name: keyof typeof asks, than: keyof typeof asks) =>
    median(took[name]!.map((each, round) => each - took[than]![round]!)).toFixed(1)
  for (const [name, all] of Object.entries(took))
    process.stdout.write(
      `${name}: ${median(all).toFixed(1)} µs, ${more(name as keyof typeof asks, 'no string')} more\n`,
    )
  const known = more('one string, known', 'the same characters in another field')
  const fresh = more('a string of a new visitor', 'other characters each time in another field')
  process.stdout.write(`the part of consent: ${known} µs of a known string, ${fresh} µs of a new one\n`)
})
process.exit(0)
