import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const glob = (patterns: string[]) => globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] }).sort()
const source = glob(['src/**/*.{ts,tsx}']).filter((file) => !/\.(test|suite|fixture)\.tsx?$/.test(file))

test('an exported type has a name of its own in src/', () => {
  const files = new Map<string, string[]>()
  for (const file of source)
    for (const [, name] of read(file).matchAll(/^export (?:type|interface|class) (\w+)[ <=]/gm))
      files.set(name!, [...(files.get(name!) ?? []), file])
  const repeated = [...files].filter(([, owners]) => owners.length > 1)
  assert.deepEqual(repeated, [])
})

/** Participles, prepositions and placeholder words, which do not name a thing. */
const generic = new Set(
  `agreed apart ask askParts asked bell body breath call calls came cell common done ended feed find found foretell fresh gate gather given
  heard held helper helpers home house insist keep kept known lanes left lib made memory misc named on own ownPart place pick presented
  ready recent round run runs said saying seen sent shape shared shares shelf spoilt staging standing stuff taken tell tenant told traffic
  turn turns units util utils views whose window world writing`.split(/\s+/),
)

test('a file is named by the thing that it holds', () => {
  for (const file of source) {
    const name = basename(file).replace(/\.tsx?$/, '')
    assert.ok(!generic.has(name), `${file}: ${name} names no thing`)
  }
})

/** Words of declared names that say less than a word of the field: `told` for `reported`, `said` for `message`. */
const stiff = new Set(
  `begun complain complaints heard hears learnt looks losers owe owed said spare stance such tell telling told uncrowd
  unlease unnaming untold`.split(/\s+/),
)
const wordsOf = (name: string) => (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase())

test('a type, function or variable is named with words of the field', () => {
  for (const file of source)
    for (const [, name] of read(file).matchAll(
      /^ *(?:export )?(?:async )?(?:const|let|function|type|interface|class) (\w+)/gm,
    )) {
      const word = wordsOf(name!).find((each) => stiff.has(each))
      assert.equal(word, undefined, `${file}: ${name}`)
    }
})

const unclear =
  'agreed breath free fresh given heard house kept lane said seen shelf spoilt stance taken told whose'.split(' ')

test('a column of a table is named by the thing that it holds', () => {
  for (const file of glob(['src/**/migrations/*.sql']))
    for (const [, name] of read(file).matchAll(/^ {2}(\w+) (?:TEXT|INTEGER|BLOB|REAL|\w+\b)/gim))
      assert.ok(!unclear.includes(name!), `${file}: ${name} names no thing`)
})

test('a table and an index are named with words of the field', () => {
  for (const file of glob(['src/**/migrations/*.sql']))
    for (const [, name] of read(file).matchAll(/^CREATE (?:UNIQUE )?(?:TABLE|INDEX) (\w+)/gm))
      assert.ok(!name!.split('_').some((word) => stiff.has(word) || word === 'stands'), `${file}: ${name}`)
})

test('a page that is named in a comment or on a page is there', () => {
  const pages = new Set(glob(['**/*.md']).flatMap((page) => [page, basename(page)]))
  for (const file of [...glob(['{src,test,scripts,bench}/**/*.{ts,cjs,sql}', '**/*.md']), '.ci/run'])
    for (const [page] of read(file).matchAll(/(?<![\w/*.-])(?:[\w-]+\/)*[A-Za-z][\w-]*\.md\b/g))
      assert.ok(
        pages.has(page) || pages.has(page.replace(/^\//, '')) || existsSync(join(root, dirname(file), page)),
        `${file} names ${page}, which is not there`,
      )
})

test('decisions are numbered from 1, without a gap', () => {
  const numbers = glob(['docs/decisions/*.md']).map((page) => Number(/^\d{4}/.exec(basename(page))?.[0]))
  assert.deepEqual(
    numbers,
    numbers.map((_, n) => n + 1),
  )
})

test('the glossary has at most 40 terms, each of one line with the file that owns it', () => {
  const rows = read('docs/glossary.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| term '))
  assert.ok(rows.length <= 40, `${rows.length} terms`)
  for (const row of rows) {
    const file = /\| `([\w/]+\.ts)` \|$/.exec(row)?.[1]
    assert.ok(file && existsSync(join(root, 'src', file)), `${row}: its file is not there`)
    assert.ok(row.length <= 200, `${row}: longer than two lines`)
  }
})

test('the journey of an event has at most 12 steps, and those of edge/ingest.ts and delivery/decide.ts in their order', () => {
  const steps = [...read('docs/event-journey.md').matchAll(/^\| (\d+) \| [\w ]+ \| \[`([\w/]+\.ts)`/gm)]
  assert.deepEqual(
    steps.map(([, number]) => Number(number)),
    steps.map((_, n) => n + 1),
  )
  assert.ok(steps.length > 0 && steps.length <= 12)
  const isInOrder = (text: string, names: string[]) =>
    names.every((name, n) => text.includes(name) && (n === 0 || text.indexOf(names[n - 1]!) < text.indexOf(name)))
  const ingest = read('src/edge/ingest.ts')
  const body =
    ingest.slice(ingest.indexOf('function beforeCommit')) + ingest.slice(ingest.indexOf('async function ingest'))
  const calls = ['identifyRequestCaller(', 'ingestBody(', 'appendEvents(', 'ingestResponse(call']
  assert.ok(isInOrder(body, calls), 'edge/ingest.ts')
  const checks = ['parseBody(', 'takeEvents(', 'usersOf(', 'draftResults(', 'contextOf(', 'itemOf(']
  const ingestBody = read('src/event/ingest.ts')
  assert.ok(isInOrder(ingestBody.slice(ingestBody.indexOf('function ingestBody')), checks), 'event/ingest.ts')
  const decide = read('src/delivery/decide.ts')
  const decisions = ['resolveEvent(', 'planResolved(', 'updateProfiles(', 'addedEntries(', 'releasedKeys(']
  assert.ok(isInOrder(decide.slice(decide.indexOf('function decide(')), decisions), 'delivery/decide.ts')
  const resolved = ['resolveUser(', 'applyPlugins(', 'eventLocation(', 'decideConsent(']
  const resolve = read('src/delivery/resolveEvent.ts')
  assert.ok(isInOrder(resolve.slice(resolve.indexOf('function resolveEvent(')), resolved), 'delivery/resolveEvent.ts')
  const files = steps.map(([, , file]) => file)
  const half = ['delivery/resolveEvent.ts', 'delivery/plan.ts', 'user/profile.ts']
  assert.deepEqual(files.slice(6, 9), half, 'docs/event-journey.md lists the steps of delivery/decide.ts')
})
