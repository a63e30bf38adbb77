import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { type Aglet, freePort, startAglet, stopAglet } from './fake/aglet.ts'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/walk-through.md'), 'utf8')

/** A fenced block of commands, under its heading, and the answer that the page shows beneath it. */
type Step = { heading: string; commands: string; answer?: { language: string; text: string } }

function stepsOf(markdown: string): Step[] {
  const steps: Step[] = []
  let heading = ''
  for (const [, title, language, block] of markdown.matchAll(/^## (.+)$|^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (title) heading = title
    else if (language === 'sh') steps.push({ heading, commands: block! })
    else steps.at(-1)!.answer = { language: language!, text: block! }
  }
  return steps
}

const steps = stepsOf(page)
const mark = '─── the end of a step ───'
const data = mkdtempSync(join(tmpdir(), 'aglet-walk-'))
let aglet: Aglet
let told: string[]

before(async () => {
  aglet = await startAglet({ data, port: await freePort() })
  const script = steps.map(({ commands }) => `${commands}printf '%s\\n' '${mark}'\n`).join('')
  const env = { ...process.env, ORIGIN: aglet.origin, AGLET_DATA: data }
  const shell = spawn('bash', ['-eu', '-o', 'pipefail', '-c', script], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, error] = await Promise.all([text(shell.stdout), text(shell.stderr)])
  told = out.split(mark).slice(0, -1)
  assert.equal(
    told.length,
    steps.length,
    `it stopped under "${steps[told.length]?.heading}": ${out.slice(-500)} ${error}`,
  )
})
after(async () => {
  await stopAglet(aglet)
  rmSync(data, { recursive: true, force: true })
})

/** What differs from the page: values are equal, … stands for anything, and for the rest of a text. */
function differences(shown: unknown, got: unknown, path = 'answer'): string[] {
  if (typeof shown === 'string' && shown.endsWith('…'))
    return `${got}`.startsWith(shown.slice(0, -1)) ? [] : [`${path} is ${JSON.stringify(got)}`]
  if (typeof shown !== 'object' || shown === null || typeof got !== 'object' || got === null)
    return shown === got ? [] : [`${path} is ${JSON.stringify(got)}`]
  const names = new Set([...Object.keys(shown), ...Object.keys(got)])
  return [...names].flatMap((name) =>
    differences((shown as Record<string, unknown>)[name], (got as Record<string, unknown>)[name], `${path}.${name}`),
  )
}

test('the page has commands for every step of the way', () => {
  assert.deepEqual(
    [...new Set(steps.map(({ heading }) => heading).filter(Boolean))],
    [
      'What the operator prepares',
      'An application, approved',
      'A token',
      'A policy',
      'A tag',
      'A sealed secret',
      'A script',
      'An event',
      'A change, and back',
    ],
  )
})

for (const [at, { heading, answer }] of steps.entries()) {
  if (!answer) continue
  test(`under "${heading}", step ${at + 1} answers what the page shows`, () => {
    const out = told[at]!.trim()
    if (answer.language === 'json') assert.deepEqual(differences(JSON.parse(answer.text), JSON.parse(out)), [], out)
    else assert.equal(out, answer.text.trim())
  })
}
