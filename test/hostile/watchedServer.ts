import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openAglet } from '../fake/aglet.ts'
import { asHeader, type Hostile } from './corpus.ts'
import { type EntryPoint, type Finding, findFaults, findSlow, measureAll, openProbe, table } from './measure.ts'

const headerBytes = 15_000
/** The maximum size of a URL. The rest of the request head is headers. */
const addressBytes = 14_000

export type ResponseText = { status: number; text: string }
export type RequestOptions = { method?: string; headers?: Record<string, string>; body?: string | Buffer }

const agent = new Agent({ keepAlive: true, maxSockets: 4 })
after(() => agent.destroy())

/** Sends a request with any valid headers. Does not wait for the end of an event stream. */
export function send(url: string, { method = 'GET', headers = {}, body }: RequestOptions = {}): Promise<ResponseText> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent }, async (answer) => {
      const status = answer.statusCode!
      const isStream = `${answer.headers['content-type']}`.startsWith('text/event-stream')
      if (!isStream) return resolve({ status, text: (await answer.setEncoding('utf8').toArray()).join('') })
      answer.destroy()
      resolve({ status, text: '' })
    })
    // a server that refuses a body before its end closes the connection
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve({ status: 0, text: '' })
      else reject(error)
    })
    outgoing.end(body)
  })
}

/**
 * Starts a server and measures how long its main thread is blocked. The results are printed after the tests of the
 * file.
 */
export async function openWatchedServer(name: string, environment: Record<string, string> = {}) {
  const socket = join(tmpdir(), `aglet-probe-${name}-${process.pid}`)
  const aglet = await openAglet(name, {
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'probe.ts')}`,
    LOOP_PROBE: socket,
    AGLET_RATE_LIMIT: '1000000',
    ...environment,
  })
  const probe = await openProbe(socket)
  const groups = new Map<string, readonly Finding[]>()
  after(() => {
    probe.close()
    process.stdout.write(`\n${table(groups)}\n\n`)
  })
  return {
    aglet,
    probe,
    /** Adds a test that no text blocks the main thread at any of these entry points. */
    testEntryPoints(title: string, entryPoints: () => readonly EntryPoint[] | Promise<readonly EntryPoint[]>) {
      test(`${title}: no text blocks the main thread, and time grows at most linearly with length`, async (t) => {
        const findings = await measureAll(await entryPoints(), probe)
        groups.set(title, findings)
        const faults = findFaults(findings)
        for (const slow of findSlow(findings)) t.diagnostic(slow)
        if (faults.length > 0)
          throw new Error(`${faults.length} texts are too slow:\n${faults.slice(0, 20).join('\n')}`)
      })
    },
  }
}

const safeEncoded = (text: string) => encodeURIComponent(text.toWellFormed())

/** Texts percent-encoded in a URL, cut to the size of a URL. */
export function encodedEntryPoint(
  name: string,
  texts: readonly Hostile[],
  submit: (encoded: string) => Promise<unknown>,
): EntryPoint {
  const within = ({ of }: Hostile) => {
    const bytes = Math.floor((addressBytes * 1_000) / safeEncoded(of(1_000)).length)
    return (maxBytes: number) => safeEncoded(of(Math.min(maxBytes, bytes)))
  }
  return { name, maxBytes: addressBytes, texts: texts.map((each) => ({ name: each.name, of: within(each) })), submit }
}

/** Texts in a URL without encoding. A character that a URL cannot contain is replaced by `!`. */
export const rawEntryPoint = (
  name: string,
  texts: readonly Hostile[],
  submit: (raw: string) => Promise<unknown>,
): EntryPoint => ({
  name,
  maxBytes: addressBytes,
  texts: texts.map((each) => ({ name: each.name, of: (bytes) => each.of(bytes).replace(/[^!-~]/g, '!') })),
  submit,
})

export const headerEntryPoint = (
  name: string,
  texts: readonly Hostile[],
  submit: (value: string) => Promise<unknown>,
): EntryPoint => ({
  name,
  maxBytes: headerBytes,
  texts: texts.map((each) => ({ name: each.name, of: (bytes) => asHeader(each.of(bytes)) })),
  submit,
})
