import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { program } from './fake/aglet.ts'

const run = promisify(execFile)
const aglet = async (...words: string[]) => (await run('sh', [program, ...words])).stdout
/** The completions after these words. */
const offered = async (...words: string[]) =>
  (await aglet('complete', '--', ...words)).split('\n').flatMap((line) => line.split('\t')[0] || [])

test('every shell gets a script of its own, which asks the program itself', async () => {
  const bash = await aglet('completion', 'bash')
  const checking = run('bash', ['-n'])
  checking.child.stdin!.end(bash)
  await checking
  assert.match(bash, /complete -F \w+ aglet/)
  assert.match(await aglet('completion', 'zsh'), /#compdef aglet/)
  assert.match(await aglet('completion', 'fish'), /complete -c aglet/)
})

test('commands, sub-commands, options and choices are offered', async () => {
  const first = await offered('')
  for (const word of ['script', 'tag', 'deploy', 'apply', 'doctor']) assert.ok(first.includes(word), word)
  const script = await offered('script', '')
  for (const word of ['list', 'get', 'create', 'update', 'delete']) assert.ok(script.includes(word), word)
  assert.ok((await offered('script', 'create', '--geo')).includes('--geo-regions'))
  assert.ok((await offered('script', 'create', '--provider', '')).includes('eventSink'))
})
