import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseSync } from 'oxc-parser'
import { dashboardLanguages } from '#contract/dashboardLanguage.ts'
import { localeFormat } from './localeFormat.ts'

const folder = import.meta.dirname
const files = globSync('*.ts', { cwd: join(folder, 'en') }).sort()
const others = Object.keys(dashboardLanguages).filter((language) => language !== 'en')

type Words = Record<string, unknown>
const read = async (language: string, file: string): Promise<Words> => import(`./${language}/${file}`)

/** The path and kind of every text of a value; list members by index. */
function shapeOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`${path}: ${typeof value}`]
  return Object.entries(value).flatMap(([name, each]) => shapeOf(each, `${path}.${name}`))
}

/** Texts that are the same in English and German: names, abbreviations, examples, and words of both languages. */
const sameTexts = new Set([
  ...['Slack', 'Microsoft Teams', 'Discord', 'PagerDuty', 'Code'],
  ...['Google Tag Manager', 'Cloudflare Zaraz', 'Segment', 'RudderStack', 'Element'],
  ...['Shopify', 'WooCommerce', 'BigCommerce'],
  ...[
    'Aglet',
    'Enter',
    'Esc',
    'System',
    'Sandbox',
    'Deployment',
    'Deployment ',
    'deployment ',
    'Deployments',
    'Plugins',
  ],
  ...[
    'Playground',
    'Hooks',
    'Live',
    'Tag',
    'Tags',
    'Team',
    'Name',
    'Status',
    'Token',
    'Tokens',
    'Person',
    'Link',
    'Domain',
  ],
  ...['Version', 'Code', 'Logs', 'Navigation', 'Snippet', 'Server', 'Browser', 'Webhook', 'Median', ' · Aglet'],
  ...['UTC', 'SDK', 'Edge', 'TypeScript', 'CloudEvents 1.0', 'HTTP ', 'https://', 'region'],
  ...[
    'dataLayer: Google Tag Manager',
    'fbq: Meta',
    'ttq: TikTok',
    'pintrk: Pinterest',
    'snaptr: Snapchat',
    'rdt: Reddit',
  ],
  ...['uetq: Microsoft', 'zaraz: Cloudflare Zaraz', 'analytics: Segment'],
  ...['Content-Security-Policy', 'Global Privacy Control', 'EU,US,-US-CA', 'd.example.com', 'shop.example'],
])

type Node = { type: string; [member: string]: unknown }

/** The strings and template parts of a file that a reader sees: at least two letters, and no keys or module names. */
function* textsOf(node: Node): Generator<string> {
  if (
    /^TS(?!AsExpression|SatisfiesExpression)|^(ImportDeclaration|BinaryExpression|CallExpression)$/.test(node.type) &&
    !hasTexts(node)
  )
    return
  if (node.type === 'Literal' && typeof node.value === 'string') yield node.value
  if (node.type === 'TemplateElement') yield (node.value as { cooked: string }).cooked
  for (const [member, value] of Object.entries(node)) {
    if (member === 'key' || (member === 'property' && node.type === 'MemberExpression')) continue
    for (const each of [value].flat()) if (each && typeof (each as Node).type === 'string') yield* textsOf(each as Node)
  }
}
/** Whether a call writes a text. */
const hasTexts = (node: Node) =>
  node.type === 'CallExpression' && /^(plural|list)$/.test((node.callee as { name?: string }).name ?? '')

function readTexts(language: string, file: string): string[] {
  const { program } = parseSync(file, readFileSync(join(folder, language, file), 'utf8'))
  return [...textsOf(program as unknown as Node)].filter((text) => /\p{L}{2}/u.test(text))
}

for (const language of others) {
  test(`${language} has the same texts as English: each name, and nothing besides`, async () => {
    assert.deepEqual(globSync('*.ts', { cwd: join(folder, language) }).sort(), files)
    for (const file of files)
      assert.deepEqual(shapeOf(await read(language, file)).sort(), shapeOf(await read('en', file)).sort(), file)
  })

  test(`no text of ${language} is an English one, except names and words of both languages`, () => {
    const english = new Set(files.flatMap((file) => readTexts('en', file)))
    for (const file of files)
      assert.deepEqual(
        readTexts(language, file).filter((text) => english.has(text) && !sameTexts.has(text)),
        [],
        file,
      )
  })
}

test('every text that may be the same is one, so that the list does not grow stale', () => {
  const texts = new Set(files.flatMap((file) => readTexts('en', file)))
  assert.deepEqual(
    [...sameTexts].filter((text) => !texts.has(text)),
    [],
  )
})

const at = Date.UTC(2026, 10, 23, 12, 4, 31, 204)
test('numbers, times, plurals and lists are written as the language does', () => {
  const written = (tag: string) => {
    const format = localeFormat({ tag, percentagePoints: 'pp' })
    return [
      format.count(12_345),
      format.rate(0.9735),
      format.rate(1),
      format.frequency(3.25),
      format.change(0.04),
      format.pointChange(-0.012),
      format.bytes(2_458),
      format.plural(1, 'Ereignis', 'Ereignisse'),
      format.plural(0, 'Ereignis', 'Ereignisse'),
      format.clock(at, 'utc'),
      format.minute(at, 'utc'),
      format.date(at, 'utc'),
      format.moment(at, 'utc'),
      format.ago(at - 180_000, at),
      format.ago(at + 86_400_000, at),
      format.duration(1_400),
      format.duration(412),
      format.list(['a', 'b', 'c']),
    ].map((text) => text.replace(/[\u00a0\u202f]/g, ' '))
  }
  assert.deepEqual(written('en'), [
    ...['12,345', '97.4%', '100%', '3.3', '+4%', '-1.2 pp', '2.4 KB', '1 Ereignis', '0 Ereignisse'],
    ...['12:04:31.204', '12:04', 'Nov 23, 2026', 'Nov 23, 12:04:31', '3 minutes ago', 'tomorrow', '1.4 s', '412 ms'],
    'a, b, and c',
  ])
  assert.deepEqual(written('de'), [
    ...['12.345', '97,4 %', '100 %', '3,3', '+4 %', '-1,2 pp', '2,4 KB', '1 Ereignis', '0 Ereignisse'],
    ...['12:04:31,204', '12:04', '23. Nov. 2026', '23. Nov., 12:04:31', 'vor 3 Minuten', 'morgen', '1,4 s', '412 ms'],
    'a, b und c',
  ])
})
