import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { figures, kept, type Row, upTo } from '../bench/part.ts'
import { parts } from '../bench/parts.ts'
import { functionsOf } from '../bench/profiled.ts'
import { withGrowth, withRatio } from '../bench/sample.ts'
import { markdownTable, textTable } from '../bench/table.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

test('docs/performance.md has a place for every part of the bench, in its order, and for no other', () => {
  const [, figuresOf] = read('docs/performance.md').split('\n## The figures\n')
  const named = [...figuresOf!.matchAll(/^### (\w+)$/gm)].map(([, name]) => name)
  assert.deepEqual(
    named,
    parts.map(({ name }) => name),
  )
})

test('docs/performance.md explains every heading of a table, and what is kept before an answer', () => {
  const headings = Object.values(figures).map(({ heading }) => heading)
  const page = read('docs/performance.md')
  for (const word of [...headings, ...Object.values(kept)]) assert.ok(page.includes(`| ${word} |`), word)
})

test('every peer of the bench has its line in docs/dependencies.md', () => {
  const { dependencies } = JSON.parse(read('bench/peers/package.json')) as { dependencies: object }
  for (const name of Object.keys(dependencies)) assert.ok(read('docs/dependencies.md').includes(`\`${name}\``), name)
})

test('a table has the figures that some row has, each with the digits that it is given', () => {
  const rows: Row[] = [
    { size: 'one', who: 'bare', keeps: 'nothing', figures: { perCpuSecond: 20_000.4, ratio: 1 } },
    { size: 'one', who: 'Aglet', keeps: 'disk', figures: { perCpuSecond: 9_000 } },
  ]
  assert.equal(
    markdownTable(rows),
    [
      '|  | who | kept before the answer | per CPU second | of the limit |',
      '|---|---|---|---:|---:|',
      '| one | bare | nowhere | 20,000 | 1.00 |',
      '| one | Aglet | on disk, synced | 9,000 |  |',
    ].join('\n'),
  )
  assert.match(textTable(rows), /^one {2}Aglet {2}on disk, synced {10,}9,000$/m)
})

test('ratios are to the first, which is the limit; growth is to the first, which is the smallest', () => {
  const ratios = withRatio([{ perCpuSecond: 20_000 }, { perCpuSecond: 9_000 }]).map(({ ratio }) => ratio)
  assert.deepEqual(ratios, [1, 0.45])
  const growth = withGrowth([{ cpuUs: 200 }, { cpuUs: 300 }]).map((sample) => sample.growth)
  assert.deepEqual(growth, [1, 1.5])
})

test('no size is above the largest, and none comes twice', () => {
  assert.deepEqual(upTo(5_000, [1_000, 30_000, 1_000_000]), [1_000, 5_000])
  assert.deepEqual(upTo(10, [1_000, 30_000]), [10])
})

test('a profile gives each function the time of its own samples, and leaves out what was before the load, and when nothing was done', () => {
  const frame = (functionName: string, url = '', lineNumber = -1) => ({ functionName, url, lineNumber })
  const here = new URL('../src/edge/ingest.ts', import.meta.url).href
  const profile = {
    nodes: [
      { id: 1, callFrame: frame('(idle)') },
      { id: 2, callFrame: frame('takeIn', here, 23) },
      { id: 3, callFrame: frame('(garbage collector)') },
      { id: 4, callFrame: frame('takeIn', here, 23) },
    ],
    startTime: 1_000_000,
    samples: [2, 1, 2, 3, 4],
    timeDeltas: [7_000, 9_000, 2_000, 1_000, 3_000],
  }
  const { busyMs, all } = functionsOf(profile, { fromUs: 1_010_000, toUs: 2_000_000 })
  assert.equal(busyMs, 6)
  assert.deepEqual(all, [
    { what: 'takeIn  src/edge/ingest.ts:24', selfMs: 5 },
    { what: '(garbage collector)', selfMs: 1 },
  ])
})
