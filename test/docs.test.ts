import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { parse as parseYaml } from 'yaml'
import { settingFlags } from '#settings/settings.ts'
import { patroniConfig } from '../scripts/cluster/patroni.ts'
import type { ProgramDeps } from '../src/cli/cliDeps.ts'
import { parseConfig } from '../src/cli/config/configFile.ts'
import { createProgram } from '../src/cli/program.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const pages = [
  ...globSync('docs/**/*.md', { cwd: root }),
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
]

test('every setting stands in the table of docs/operating.md, and nothing else does', () => {
  const named = [...read('docs/operating.md').matchAll(/^\| (`AGLET_[^|]+)\|/gm)]
    .flatMap(([, cell]) => cell!.match(/AGLET_\w+/g)!)
    .sort()
  const settings = settingFlags.map(({ help }) => /AGLET_\w+/.exec(help)![0]).sort()
  assert.deepEqual(named, settings)
})

test('the README asks for the Node that package.json does', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
  const [, oldest] = /Node (\d+) or newer with npm is enough/.exec(read('README.md'))!
  assert.equal(engines.node, `>=${oldest}`)
})

test('the example of docs/config-as-code.md is a configuration', () => {
  const [, example] = /```yaml\n([\s\S]*?)```/.exec(read('docs/config-as-code.md'))!
  assert.equal(parseConfig(example!).tags[0]?.scripts?.length, 1)
})

test('the database of docs/scale.md loses no accepted event, as that of npm run cluster', () => {
  const [, example] = /```yaml\n([\s\S]*?)```/.exec(read('docs/scale.md'))!
  const passwords = { superuser: '', replicator: '', aglet: '', restApi: '' }
  const node = {
    name: '',
    port: 1,
    restPort: 1,
    announced: { port: 1, restPort: 1 },
    etcdPort: 1,
    data: '',
    sockets: '',
  }
  const used = patroniConfig(node, { passwords, binFolder: '', isSynchronous: true, parameters: {} })
  const { ttl: _, loop_wait: __, retry_timeout: ___, postgresql, ...modes } = JSON.parse(used).bootstrap.dcs
  const { ttl, loop_wait, retry_timeout, postgresql: server, ...shown } = parseYaml(example!).bootstrap.dcs
  assert.deepEqual(shown, modes)
  assert.equal(server.use_pg_rewind, postgresql.use_pg_rewind)
  // Patroni demotes a primary that may be late: https://patroni.readthedocs.io/en/latest/SETTINGS.html
  assert.ok(loop_wait + 2 * retry_timeout <= ttl && ttl >= 20)
})

test('each page begins with who reads it and what they can do after it', () => {
  for (const page of globSync('docs/*.md', { cwd: root }))
    assert.match(
      read(page),
      /^# .+\n\nFor [^.]+\. After (this page|it) you \w+/,
      `${page}: For whom is it? After it, you …`,
    )
})

test('every link from page to page leads somewhere', () => {
  for (const page of pages)
    for (const [, target] of read(page).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)/g))
      assert.ok(existsSync(join(root, dirname(page), target!)), `${page} links to ${target}`)
})

/** Every aglet command in the code of a page: the words after `aglet`, up to the next program or comment. */
function commandsIn(page: string): string[][] {
  const text = read(page)
  const blocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].flatMap(([, block]) =>
    block!.replaceAll(/\\\n\s*/g, ' ').split('\n'),
  )
  const spans = [...text.replaceAll(/^```\w*\n[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!)
  return [...blocks, ...spans].flatMap((line) =>
    [...line.matchAll(/(?:^\s*|\$\(|[|&;] *|npm run -s )aglet (?:-- )?([a-z][^|;&#>)]*)/g)].map(([, words]) =>
      words!.trim().split(/\s+/),
    ),
  )
}

test('every command of the pages exists, and has the options that stand there', () => {
  const program = createProgram({ version: '', print() {}, printError() {} } as unknown as ProgramDeps)
  let checked = 0
  for (const page of pages.filter((each) => each !== 'CHANGELOG.md'))
    for (const words of commandsIn(page)) {
      let command = program
      for (const word of words) {
        const next = command.commands.find((each) => each.name() === word)
        if (!next) break
        command = next
      }
      assert.notEqual(command, program, `${page}: aglet ${words.join(' ')}`)
      const isGroup = command.commands.length > 0 && !('_actionHandler' in command && command._actionHandler)
      assert.ok(!isGroup || words.length === 1, `${page}: aglet ${words.join(' ')} names no command of the group`)
      const known = command.options.map(({ long }) => long)
      for (const [flag] of words.flatMap((word) => [.../^--[a-z][a-z-]*/g[Symbol.matchAll](word)]))
        assert.ok(flag === '--help' || known.includes(flag), `${page}: aglet ${words.join(' ')} has no ${flag}`)
      checked++
    }
  assert.ok(checked > 60, `${checked} commands were found`)
})
