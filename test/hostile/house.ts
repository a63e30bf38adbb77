import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openAglet } from '../fake/aglet.ts'
import { asHeader, type Hostile } from './corpus.ts'
import { type Door, type Finding, faultsOf, lookAtAll, openProbe, slowOf, table } from './measure.ts'

const headerBytes = 15_000
/** Of an address: the rest of the request's head is headers. */
const addressBytes = 14_000

export type Answered = { status: number; text: string }
export type Asked = { method?: string; headers?: Record<string, string>; body?: string | Buffer }

const agent = new Agent({ keepAlive: true, maxSockets: 4 })
after(() => agent.destroy())

/** Sends a request whose headers may be anything that a header can be. A stream's answer is not waited for. */
export function send(url: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, agent }, async (answer) => {
      const status = answer.statusCode!
      const isStream = `${answer.headers['content-type']}`.startsWith('text/event-stream')
      if (!isStream) return resolve({ status, text: (await answer.setEncoding('utf8').toArray()).join('') })
      answer.destroy()
      resolve({ status, text: '' })
    })
    // a server that refuses what it has not read to its end closes the connection
    asked.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve({ status: 0, text: '' })
      else reject(error)
    })
    asked.end(body)
  })
}

/** A server whose main thread is watched. Its findings are printed when the tests of the file are over. */
export async function openWatched(name: string, environment: Record<string, string> = {}) {
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
    /** A test that no text holds the main thread at any of these doors. */
    holds(title: string, doors: () => readonly Door[] | Promise<readonly Door[]>) {
      test(`${title}: no text holds the main thread, nor takes more than its length`, async (t) => {
        const findings = await lookAtAll(await doors(), probe)
        groups.set(title, findings)
        const faults = faultsOf(findings)
        for (const slow of slowOf(findings)) t.diagnostic(slow)
        if (faults.length > 0)
          throw new Error(`${faults.length} texts are too slow:\n${faults.slice(0, 20).join('\n')}`)
      })
    },
  }
}

const safeEncoded = (text: string) => encodeURIComponent(text.toWellFormed())

/** Texts as they stand in an address, encoded: as many as fit. */
export function encodedDoor(
  name: string,
  texts: readonly Hostile[],
  knock: (encoded: string) => Promise<unknown>,
): Door {
  const within = ({ of }: Hostile) => {
    const bytes = Math.floor((addressBytes * 1_000) / safeEncoded(of(1_000)).length)
    return (most: number) => safeEncoded(of(Math.min(most, bytes)))
  }
  return { name, most: addressBytes, texts: texts.map((each) => ({ name: each.name, of: within(each) })), knock }
}

/** Texts as they stand in an address, not encoded. What cannot stand there becomes a sign that can. */
export const rawDoor = (name: string, texts: readonly Hostile[], knock: (raw: string) => Promise<unknown>): Door => ({
  name,
  most: addressBytes,
  texts: texts.map((each) => ({ name: each.name, of: (bytes) => each.of(bytes).replace(/[^!-~]/g, '!') })),
  knock,
})

export const headerDoor = (
  name: string,
  texts: readonly Hostile[],
  knock: (value: string) => Promise<unknown>,
): Door => ({
  name,
  most: headerBytes,
  texts: texts.map((each) => ({ name: each.name, of: (bytes) => asHeader(each.of(bytes)) })),
  knock,
})
