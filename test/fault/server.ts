import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { type Aglet, program } from '../fake/aglet.ts'

/** A start takes two seconds on an idle machine and a minute on a busy one. */
const startMs = 180_000

type Start = { data: string; port: number; environment: Record<string, string> }

/** Starts a real Aglet in a separate process without waiting; its last output is kept. */
export function beginAglet({ data, port, environment }: Start): Aglet {
  const child = spawn('sh', [program, 'serve', '--port', `${port}`, '--data', data], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...environment },
  })
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors = (errors + chunk).slice(-20_000)
  })
  return { process: child, origin: `http://127.0.0.1:${port}`, data, port, errors: () => errors }
}

const hasEnded = ({ process: { exitCode, signalCode } }: Aglet) => exitCode !== null || signalCode !== null

/** Waits until it accepts events. If it ends or takes too long, kills it and throws with its last output. */
export async function ready(aglet: Aglet): Promise<void> {
  const giveUpAt = performance.now() + startMs
  while (!(await fetch(`${aglet.origin}/readyz`).catch(() => undefined))?.ok) {
    if (hasEnded(aglet) || performance.now() > giveUpAt) {
      await kill(aglet)
      throw new Error(`Aglet did not start: ${aglet.errors()}`)
    }
    await setTimeout(20)
  }
}

/** Ends the process with a signal and waits for its exit; returns the exit code, null if the signal ended it. */
export async function end(aglet: Aglet, signal: NodeJS.Signals): Promise<number | null> {
  if (hasEnded(aglet)) return aglet.process.exitCode
  const ended = once(aglet.process, 'exit')
  aglet.process.kill(signal)
  const [code] = await ended
  return code as number | null
}

export const kill = (aglet: Aglet) => end(aglet, 'SIGKILL')

/** The fields in /proc after the process name; the first is its state. */
const fieldsOf = ({ process: { pid } }: Aglet) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')

/** The CPU time of the process; /proc has hundredths of a second. */
export const cpuMs = (aglet: Aglet) => (Number(fieldsOf(aglet)[11]) + Number(fieldsOf(aglet)[12])) * 10

/** Suspends the process: from now on it does not respond. */
export async function freeze(aglet: Aglet): Promise<void> {
  aglet.process.kill('SIGSTOP')
  while (!hasEnded(aglet) && fieldsOf(aglet)[0] !== 'T') await setTimeout(1)
}
