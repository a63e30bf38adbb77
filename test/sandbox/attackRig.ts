import assert from 'node:assert/strict'
import type { FetchRequest, Job, RunResult } from '#sandbox/job.ts'
import { openSandbox, type Sandbox } from '#sandbox/sandbox.ts'
import type { SandboxLimits } from '#sandbox/sandboxLimits.ts'
import { peakOfChildren } from '../fake/children.ts'
import type { Hostile } from './hostile/program.ts'

/** Texts that no program may read. */
const canaries = { environment: 'canary-of-the-environment', other: 'canary-of-another-script', file: 'root:x:0:0' }
/** A run ends so long after its child has started. */
const endsAfterMs = 5_250
/** A busy machine may start a child this many times as slowly as the first one. */
const slowestStart = 10
const ownSecret = 'canary-that-it-was-given'

const isOver = (ran: RunResult) => 'value' in ran || 'error' in ran || 'breach' in ran

/** Opens a sandbox and measures the memory of its largest child. */
export async function openAttackRig(limits: Partial<SandboxLimits> = {}) {
  process.env.AGLET_CANARY = canaries.environment
  const fetch = async ({ url, headers }: FetchRequest) => {
    const { protocol } = new URL(url)
    if (protocol !== 'https:') throw new Error('This address is not allowed.')
    return { url, status: 200, headers: {}, body: JSON.stringify(headers) }
  }
  const sandbox = await openSandbox({ fetch, acceptWeak: true, limits })
  let peak = 0
  const look = setInterval(() => {
    peak = Math.max(peak, peakOfChildren())
  }, 2)
  const begun = performance.now()
  // Its result does not matter: on a busy machine the first child may start too late for its limit.
  await sandbox.run(neighbourJob('first'))
  const withinMs = endsAfterMs + slowestStart * (performance.now() - begun)
  const close = async () => {
    clearInterval(look)
    await sandbox.close()
  }
  return { sandbox, withinMs, peak: () => peak, close }
}

const calls = {
  keep: async (value: unknown, how?: unknown) => {
    if (how === 'throw') throw new Error('The host threw')
    if (how === 'never') return new Promise(() => {})
    return value
  },
}

const jobOf = (teamId: string, title: string, body: string, secret: string): Job => ({
  teamId,
  key: `${teamId}/${title}`,
  code: `async function process({ secrets, fetch, logger, keep }) {\n${body}\n}`,
  name: 'process',
  resultKind: 'value',
  params: { secrets: { mine: secret } },
  calls,
  secrets: [secret],
})

/** Runs a program as a separate team. Throws if it takes too long, reads a canary, or logs or returns too much. */
export async function attack(
  { sandbox, withinMs }: { sandbox: Sandbox; withinMs: number },
  { title, body, before }: Hostile,
): Promise<RunResult> {
  const teamId = `team of ${title}`
  if (before) await sandbox.run(jobOf(teamId, 'before', before, canaries.other))
  const begun = performance.now()
  const ran = await sandbox.run(jobOf(teamId, 'attack', body, ownSecret))
  const tookMs = performance.now() - begun
  assert.ok(isOver(ran), `${title}: ${JSON.stringify(ran)}`)
  assert.ok(tookMs <= withinMs, `${title}: ended after ${tookMs} ms`)
  const shown = JSON.stringify(ran)
  for (const canary of Object.values(canaries)) assert.ok(!shown.includes(canary), `${title}: it has read ${canary}`)
  assert.ok(!shown.includes('ESCAPED'), `${title}: ${shown.slice(0, 500)}`)
  const logged = ran.logs.reduce((bytes, { text }) => bytes + Buffer.byteLength(text), 0)
  assert.ok(logged <= 16 * 1024 && ran.logs.length <= 256, `${title}: it logged too much`)
  assert.ok(shown.length <= 1024 * 1024, `${title}: its result is too long`)
  return ran
}

const neighbourJob = (secret: string) => jobOf('neighbour', 'neighbour', 'return [secrets.mine, await keep(2)]', secret)

/** Runs a harmless program of another team and returns its duration in ms. */
export async function runNeighbour(sandbox: Sandbox, n: number): Promise<number> {
  const begun = performance.now()
  const ran = await sandbox.run(neighbourJob(`own secret ${n}`))
  assert.deepEqual(ran, { value: [`own secret ${n}`, 2], logs: [] })
  return performance.now() - begun
}
