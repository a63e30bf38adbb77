import { text } from 'node:stream/consumers'
import type { Settings } from '#contract/settings.ts'
import { systemClock } from '#kit/clock.ts'
import { lineLog, linesTogether } from '#kit/log.ts'
import aglet from '../package.json' with { type: 'json' }
import type { Copies } from './cli/operator/backup.ts'
import { dataDirAt } from './cli/operator/dataDir.ts'
import type { Adapters, HomeOptions } from './cli/operator/home.ts'
import { untilStopped } from './cli/operator/stop.ts'
import { welcomeJson, welcomeText } from './cli/operator/welcome.ts'
import { runProgram } from './cli/program.ts'
import { askTerminal } from './cli/terminal.ts'

const { version } = aglet
const clock = systemClock
const print = (output: string) => void process.stdout.write(output)
const complain = (output: string) => void process.stderr.write(output)
const lines = linesTogether(complain)
const log = lineLog({ write: lines.write, now: clock.now, isText: process.stderr.isTTY })

/** Runs the command line of this process, on what main chose to keep things in. */
export async function run(adapters: Adapters & Copies): Promise<number> {
  process.once('exit', lines.flush)
  // Whoever read our output may be gone; that is no reason to stop serving.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const optionsOf = (settings: Settings): HomeOptions => ({ dir: dataDirAt(settings.data), settings, adapters, clock })
  // Each command loads what it needs: a token is made without the web framework.
  return runProgram(process.argv.slice(2), {
    version,
    env: process.env,
    print,
    complain,
    readInput: () => text(process.stdin),
    ask: (question) => askTerminal(question, process.stdin, process.stderr),
    operate: async (call, settings) => (await import('./cli/operator/operate.ts')).operate(call, optionsOf(settings)),
    doctor: async (settings) => (await import('./cli/operator/doctor.ts')).doctor(optionsOf(settings)),
    async backup(asked, settings) {
      const { makeBackup } = await import('./cli/operator/backup.ts')
      return makeBackup({ ...optionsOf(settings), copies: adapters, version }, asked)
    },
    async restore(asked, settings) {
      const { restoreBackup } = await import('./cli/operator/restore.ts')
      return restoreBackup(optionsOf(settings), asked)
    },
    async preview({ ratesFile }) {
      const { previewLines } = await import('./cli/operator/preview.ts')
      const { openRates } = await import('#plugin/rates.ts')
      await previewLines(process.stdin, process.stdout, { now: clock.now, rates: openRates(ratesFile, { clock, log }) })
    },
    async simulate(settings) {
      const { simulateLines } = await import('./cli/operator/simulate.ts')
      const { guardOf, openCode } = await import('./roles.ts')
      const { openParser } = await import('#sandbox/parse.ts')
      const { run: runCode, close } = openCode(settings)
      const parseCode = openParser()
      const on = { parseCode, runCode, brand: settings.brand, guard: guardOf(settings), now: clock.now }
      await simulateLines(process.stdin, process.stdout, on).finally(close)
    },
    async serve(settings, { asJson, signIn }) {
      const { serve } = await import('./serve.ts')
      const welcome = asJson ? welcomeJson : welcomeText
      await serve({
        version,
        options: optionsOf(settings),
        signIn,
        env: process.env,
        log,
        started: (bound, made) => print(welcome(version, made, bound)),
        stopped: untilStopped(process, clock),
      })
    },
  })
}
