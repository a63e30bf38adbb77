import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { allBlocks, root } from './blocks.ts'
import { elsewhere, jobs } from './elsewhere.ts'

const walks = ['documents.test.ts', 'page.test.ts'].map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
/** The blocks that the walks run: page and first words. */
const asked = walks.flatMap((text) =>
  [...text.matchAll(/blockOf\('([^']+)', (?:'([^']+)'|"([^"]+)"|login)\)/g)].map(([, page, one, other]) => ({
    page: page!,
    begins: one ?? other ?? 'aglet login',
  })),
)
const suites = [...Object.values(elsewhere).flatMap((blocks) => Object.values(blocks)), ...Object.values(jobs).flat()]

test('each block of code in the documents is run by a suite, or has a reason why not', () => {
  const missing = allBlocks.filter(({ page, text }) => {
    const start = text.trimStart()
    const others = elsewhere[page] ?? {}
    const isAsked = asked.some((each) => each.page === page && start.startsWith(each.begins))
    return !isAsked && !Object.keys(others).some((begins) => begins === '*' || start.startsWith(begins))
  })
  assert.deepEqual(
    missing.map(({ page, text }) => `${page}: ${text.slice(0, 60)}`),
    [],
  )
})

test('each row of the table names a block that is there', () => {
  for (const [page, blocks] of Object.entries(elsewhere))
    for (const begins of Object.keys(blocks)) {
      const own = allBlocks.filter((block) => block.page === page)
      const isThere = begins === '*' ? own.length > 0 : own.some(({ text }) => text.trimStart().startsWith(begins))
      assert.ok(isThere, `${page}: ${begins}`)
    }
})

test('each suite that the tables name exists', () => {
  for (const suite of suites.filter((each) => /^(src|test)\/\S+$/.test(each)))
    assert.ok(existsSync(join(root, suite)), suite)
})

test('each script that the documents name by npm run exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const text = [...new Set(allBlocks.map(({ page }) => page))]
    .map((page) => readFileSync(join(root, page), 'utf8'))
    .join('\n')
  const named = new Set(
    [...text.matchAll(/npm run (?:-s )?(?:--prefix \S+ )?([a-z][\w:-]*)/g)].map(([, name]) => name!),
  )
  assert.ok(named.size > 15)
  assert.deepEqual(
    [...named].filter((name) => !scripts[name]),
    [],
  )
})
