import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Aglet } from './aglet.ts'

const root = join(import.meta.dirname, '../..')
const mark = '─── the end of a step ───'
/** What `npm run -s aglet --` runs, without npm, which takes longer than the command. test/walk types commands with npm. */
const npm = 'npm() { [ "$1 $2 $3 $4" = "run -s aglet --" ] && shift 4 && sh scripts/aglet.sh "$@"; }\n'

/** A code block with commands, its heading, and the output that the page shows below it. */
export type DocStep = { heading: string; commands: string; answer?: { language: string; text: string } }

/** The steps of a page of docs/. */
export function stepsOf(page: string): DocStep[] {
  const markdown = readFileSync(join(root, 'docs', page), 'utf8')
  const steps: DocStep[] = []
  let heading = ''
  for (const [, title, language, block] of markdown.matchAll(/^## (.+)$|^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (title) heading = title
    else if (language === 'sh') steps.push({ heading, commands: block! })
    else steps.at(-1)!.answer = { language: language!, text: block! }
  }
  return steps
}

/** Runs the steps of a page in one shell and returns the output of each. */
export async function runSteps(steps: readonly DocStep[], { origin, data }: Aglet): Promise<string[]> {
  const script = npm + steps.map(({ commands }) => `${commands}printf '%s\\n' '${mark}'\n`).join('')
  const shell = spawn('bash', ['-eu', '-o', 'pipefail', '-c', script], {
    cwd: root,
    env: { ...process.env, ORIGIN: origin, AGLET_DATA: data },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, error] = await Promise.all([text(shell.stdout), text(shell.stderr)])
  const outputs = out.split(mark).slice(0, -1)
  const stopped = `it stopped under "${steps[outputs.length]?.heading}": ${out.slice(-500)} ${error}`
  assert.equal(outputs.length, steps.length, stopped)
  return outputs.map((each) => each.trim())
}

/** Throws unless a step's output equals the page's, in which `…` matches any value or the rest of a text. */
export function assertShown({ language, text: shown }: NonNullable<DocStep['answer']>, out: string) {
  if (language === 'json') assert.deepEqual(differences(JSON.parse(shown), JSON.parse(out)), [], out)
  else assert.equal(out, shown.trim())
}

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
