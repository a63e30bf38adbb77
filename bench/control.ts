import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import type { SealingKey } from '#contract/me.ts'
import { sealEntry } from '#contract/seal.ts'
import {
  type Customer,
  call,
  freePort,
  makeCustomer,
  makeScript,
  startAglet,
  stopAglet,
  until,
} from '../test/fake/aglet.ts'
import { median } from './load.ts'

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '300' },
    /** Scripts of the tag, besides the one that is written. */
    scripts: { type: 'string', default: '10' },
  },
})
const rounds = Number(flags.rounds)
const warmUp = Math.ceil(rounds / 5)
const address = { variable: 'EVENT_SINK_URL', type: 'TEXT', value: 'https://sink.example.com/in' } as const

type Ask = { method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS'; path: string; headers?: object; body?: string }
type Asked = { ms: number; status: number; text: string }

/** One request on a persistent connection, and its time. */
async function ask(pool: Pool, { method, path, headers, body }: Ask): Promise<Asked> {
  const begun = performance.now()
  const sent = { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) }
  const answer = await pool.request({ method, path, headers: sent, body: body ?? null })
  const text = await answer.body.text()
  return { ms: performance.now() - begun, status: answer.statusCode, text }
}
async function good(pool: Pool, asked: Ask): Promise<Asked> {
  const told = await ask(pool, asked)
  if (told.status !== 200) throw new Error(`${asked.method} ${asked.path} answered ${told.status}: ${told.text}`)
  return told
}

const open = (origin: string) => new Pool(origin, { connections: 1, pipelining: 1 })

async function startBare(script: string) {
  const port = await freePort()
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bareFastify.ts'), `${port}`, script], {
    stdio: 'inherit',
  })
  const origin = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(`${origin}/script/x`).catch(() => undefined))?.ok ?? false)
  return { pool: open(origin), stop: () => child.kill() }
}

/** The body of a POST /script, with its secret sealed. */
async function bodyOf({ environment, teamId, tagId }: Customer, key: SealingKey, name: string): Promise<string> {
  const { value: plaintext, ...secret } = address
  const entry = await sealEntry({ environment, teamId, providerId: 'eventSink', ...secret, plaintext, key })
  return JSON.stringify({ name, providerId: 'eventSink', tagId, secrets: [entry] })
}

function print(what: string, ours: readonly number[], bare: readonly number[]): void {
  const [p50, bareP50] = [median(ours.slice(warmUp)), median(bare.slice(warmUp))]
  console.log(`${what} | ${p50.toFixed(2)} ms | bare Fastify ${bareP50.toFixed(2)} ms | ${(p50 / bareP50).toFixed(1)}`)
}

const data = mkdtempSync(join(tmpdir(), 'aglet-bench-'))
const port = await freePort()
const aglet = await startAglet({ data, port, flags: ['--rate-limit', '1000000'] })
try {
  const customer = await makeCustomer(aglet, 'bench')
  const { token, teamId, tagId, tagUrl } = customer
  const headers = { authorization: `Bearer ${token}`, 'team-id': teamId }
  const scriptId = await makeScript(customer, 'eventSink', 'read', [address])
  for (let n = 1; n < Number(flags.scripts); n++) await makeScript(customer, 'eventSink', `other ${n}`, [address])
  const key = (await call<{ encryptionKey: SealingKey }>(customer, 'GET', '/me')).body.encryptionKey
  const pool = open(aglet.origin)
  const one = { method: 'GET', path: `/v1/script/${scriptId}`, headers } as const
  const bare = await startBare((await good(pool, one)).text)

  const read: number[][] = [[], []]
  const written: number[][] = [[], []]
  const live: number[] = []
  for (let n = 0; n < rounds + warmUp; n++) {
    read[0]!.push((await good(pool, one)).ms)
    read[1]!.push((await good(bare.pool, { ...one, path: '/script/x' })).ms)

    const body = await bodyOf(customer, key, `written ${n}`)
    const made = await good(pool, { method: 'POST', path: '/v1/script', headers, body })
    written[0]!.push(made.ms)
    written[1]!.push((await good(bare.pool, { method: 'POST', path: '/script', headers, body })).ms)
    // The tag keeps its size, because the cost of a deployment grows with it.
    await good(pool, { method: 'DELETE', path: `/v1/script/${JSON.parse(made.text).scriptId}`, headers })

    const origin = `https://shop-${n}.example.com`
    const begun = performance.now()
    const change = {
      method: 'PUT',
      path: `/v1/tag/${tagId}`,
      headers,
      body: JSON.stringify({ allowedOrigins: [origin] }),
    }
    await good(pool, change as Ask)
    const seen = await ask(pool, { method: 'OPTIONS', path: `${new URL(tagUrl).pathname}/tag`, headers: { origin } })
    if (seen.status !== 204) throw new Error('the call answered before the deployment was live')
    live.push(performance.now() - begun)
  }
  print('GET /script/{scriptId}, p50', read[0]!, read[1]!)
  print('POST /script with deployment, p50', written[0]!, written[1]!)
  console.log(`a change of a tag until the edge has answered by it, p50 | ${median(live.slice(warmUp)).toFixed(2)} ms`)
  await Promise.all([pool.close(), bare.pool.close()])
  bare.stop()
} finally {
  await stopAglet(aglet)
  rmSync(data, { recursive: true, force: true })
}
