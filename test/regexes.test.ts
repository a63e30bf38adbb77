import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sitesIn } from '../scripts/regexes/sites.ts'
import { faultsOf, judge, rememberedIn } from '../scripts/regexes/verdicts.ts'

const faultsIn = (text: string) => {
  const { sites, bounds } = sitesIn('file.ts', text)
  return faultsOf(sites, bounds, judge)
}

test('an expression that is quadratic or exponential is found, however it is written', async () => {
  for (const text of [
    String.raw`const a = text.replace(/\/+$/, '')`,
    String.raw`const a = /^(?:\s|\/\/.*|\/\*[^]*?\*\/)*x/`,
    String.raw`const a = new RegExp('\\s+$', 'm')`,
    'const a = new RegExp(String.raw`\\s*,\\s*`)',
    "const a = RegExp('(a|a)*b')",
    String.raw`const gap = '\\s*'; const a = new RegExp(gap + ',')`,
    "const a = text.match('a*b*a*$')",
    String.raw`const a = Type.String({ pattern: '\\s+$' })`,
  ])
    assert.equal((await faultsIn(text)).length, 1, text)
})

test('a linear expression is left alone, also one that holds an escaped text', async () => {
  for (const text of [
    'const a = /^[a-z]+@[a-z]+$/',
    "const a = new RegExp('^https://' + RegExp.escape(domain) + '$')",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
    'const a = new RegExp(`^https://${RegExp.escape(domain)}$`)',
    "const a = new RegExp(texts.map(RegExp.escape).join('|'), 'gi')",
    "const a = new RegExp(texts.map((each) => RegExp.escape(each)).join('|'))",
    'const a = other.match(text)',
  ])
    assert.deepEqual(await faultsIn(text), [], text)
})

test('an expression of text that nobody escaped is refused with its name, and one around an escaped text is judged', async () => {
  assert.match((await faultsIn("const a = new RegExp('^' + name + '$')"))[0]!, /^1: made of name, .*RegExp\.escape/)
  assert.match((await faultsIn('const a = new RegExp(texts.join("|"))'))[0]!, /^1: made of CallExpression/)
  assert.equal((await faultsIn("const a = new RegExp('a*' + RegExp.escape(name))")).length, 1)
})

test('a comment beside an expression may bound its input, where that many characters take next to no time', async () => {
  const quadratic = String.raw`const a = /\s+$/`
  assert.deepEqual(await faultsIn(`// ReDoS: at most 253 characters, a host name\n${quadratic}`), [])
  assert.deepEqual(await faultsIn(`${quadratic} // ReDoS: at most 1_000 characters`), [])
  assert.match((await faultsIn(`${quadratic} // ReDoS: at most 100_000 characters`))[0]!, /steps for 100000 characters/)
  assert.match((await faultsIn(`// ReDoS: at most 20 characters\nconst a = /^(a|a)*$/`))[0]!, /exponential/)
  assert.match((await faultsIn('// ReDoS: at most 20 characters\nconst a = /a/'))[0]!, /bounds nothing/)
})

test('what was judged is remembered, by the version of the checker, and only as long as it is used', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-regexes-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'cache/regexes.json')
  const asked: string[] = []
  const decide = async (text: string) => {
    asked.push(text)
    return { growth: 'linear' } as const
  }
  const session = async (...texts: string[]) => {
    const remembered = rememberedIn(path, decide)
    for (const text of texts) assert.deepEqual(await remembered.judge(text, 'g'), { growth: 'linear' })
    remembered.save()
  }
  await session('a', 'b')
  await session('a')
  await session('a', 'b')
  assert.deepEqual(asked, ['a', 'b', 'b'])
})
