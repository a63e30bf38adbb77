import { text } from 'node:stream/consumers'
import { askTerminal } from '#cli/askTerminal.ts'
import type { DatabaseCopier } from '#cli/operator/backup.ts'
import type { StorageInspectors } from '#cli/operator/doctor.ts'
import { runProgram } from '#cli/program.ts'
import { systemClock } from '#kit/clock.ts'
import { coalesceLines, createLog } from '#kit/log.ts'
import { resolveDataDir } from '#runtime/dataDir.ts'
import type { EnvironmentStoreOptions, StorageAdapters } from '#runtime/environmentStore.ts'
import type { Settings } from '#runtime/settings.ts'
import { startupJson, startupText } from '#runtime/startupMessage.ts'
import { waitForStopSignal } from '#runtime/stopSignal.ts'
import aglet from '../package.json' with { type: 'json' }

const { version } = aglet
const clock = systemClock
const print = (output: string) => void process.stdout.write(output)
const complain = (output: string) => void process.stderr.write(output)
const logLines = coalesceLines(complain)
const log = createLog({ write: logLines.write, now: clock.now, isText: process.stderr.isTTY })

/** Runs the command line of this process with the storage adapters that main chose. */
export async function runCommandLine(adapters: StorageAdapters & DatabaseCopier & StorageInspectors): Promise<number> {
  process.once('exit', logLines.flush)
  // A closed pipe on stdout or stderr does not stop the server.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const optionsOf = (settings: Settings): EnvironmentStoreOptions => ({
    dir: resolveDataDir(settings.data),
    settings,
    adapters,
    clock,
  })
  // Each command imports its modules on demand, so that a short command does not load the web framework.
  return runProgram(process.argv.slice(2), {
    version,
    env: process.env,
    print,
    complain,
    readInput: () => text(process.stdin),
    ask: (question) => askTerminal(question, process.stdin, process.stderr),
    operate: async (call, settings) =>
      (await import('#cli/operator/runOperatorCall.ts')).runOperatorCall(call, optionsOf(settings)),
    doctor: async (settings) =>
      (await import('#cli/operator/doctor.ts')).runDoctor({ ...optionsOf(settings), inspectors: adapters }),
    async backup(request, settings) {
      const { createBackup } = await import('#cli/operator/backup.ts')
      return createBackup({ ...optionsOf(settings), copies: adapters, version }, request)
    },
    async restore(request, settings) {
      const { restoreBackup } = await import('#cli/operator/restore.ts')
      return restoreBackup(optionsOf(settings), request)
    },
    async preview({ ratesFile }) {
      const { previewLines } = await import('#cli/operator/previewLines.ts')
      const { openRates } = await import('#plugin/rates.ts')
      await previewLines(process.stdin, process.stdout, { now: clock.now, rates: openRates(ratesFile, { clock, log }) })
    },
    async simulate(settings) {
      const { simulateLines } = await import('#cli/operator/simulateLines.ts')
      const { outboundGuard } = await import('#runtime/outboundSettings.ts')
      const { openCustomerSandbox } = await import('#runtime/serverRuntime.ts')
      const { openParser } = await import('#sandbox/parseCode.ts')
      const { run: runCode, close } = openCustomerSandbox(settings)
      const parseCode = openParser()
      const deps = { parseCode, runCode, brand: settings.brand, guard: outboundGuard(settings), now: clock.now }
      await simulateLines(process.stdin, process.stdout, deps).finally(close)
    },
    async serve(settings, { asJson, signIn }) {
      const { serve } = await import('#runtime/serve.ts')
      const formatMessage = asJson ? startupJson : startupText
      await serve({
        version,
        options: optionsOf(settings),
        signIn,
        env: process.env,
        log,
        started: (boundSettings, environments) => print(formatMessage(version, environments, boundSettings)),
        stopped: waitForStopSignal(process, clock),
      })
    },
  })
}
