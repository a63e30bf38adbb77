import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildOpenapi } from '#contract/openapi.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The rows of the table in docs/dashboard.md: the words of the pages, and the terms of the API and the command line. */
const rows = read('docs/dashboard.md')
  .split('| on the pages |')[1]!
  .split('\n')
  .slice(2)
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, page, api]) => ({ page: page!.split(', '), api: [...api!.matchAll(/`([^`]+)`/g)].map(([, term]) => term!) }))

test('the table of words names what the contract and the command line have', () => {
  const address = { tagUrl: 'https://a.example/t/{tagId}', brand: 'Service' }
  const contract = JSON.stringify(buildOpenapi({ baseUrl: 'https://a.example/v1', ...address } as never))
  const commands = read('docs/commands.md')
  assert.ok(rows.length > 5)
  for (const term of rows.flatMap(({ api }) => api))
    if (term.startsWith('aglet ')) assert.match(commands, new RegExp(`\`${RegExp.escape(term.slice(6))}[ \`]`), term)
    else assert.ok(contract.includes(term), term)
})

test('the pages say their own word: no text of a page calls a channel a script', () => {
  const texts = globSync('src/dashboard/words/en/*.ts', { cwd: root })
    .flatMap((file) => [...read(file).matchAll(/'([^'\n]*)'/g)].map(([, text]) => text!))
    .filter((text) => /\bscripts?\b/i.test(text) && /\b(this|the|a|each|every) script\b/i.test(text))
  const otherScripts = ['Pages that load the script from it get nothing', 'waits for the script']
  assert.deepEqual(
    texts.filter(
      (text) => !otherScripts.some((other) => text.includes(other)) && !/program: a server of yours/.test(text),
    ),
    [],
  )
})
