import { text } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { askTerminal } from '#cli/askTerminal.ts'
import type { ProgramDeps } from '#cli/cliDeps.ts'
import type { DatabaseCopier } from '#cli/operator/backup.ts'
import type { StorageInspectors } from '#cli/operator/doctor.ts'
import { runProgram } from '#cli/program.ts'
import { terminalText } from '#contract/displayText.ts'
import { environments } from '#contract/me.ts'
import { systemClock } from '#kit/clock.ts'
import { keepHiddenClasses } from '#kit/hiddenClasses.ts'
import { coalesceLines, createLog } from '#kit/log.ts'
import { createDataDir, resolveDataDir } from '#runtime/dataDir.ts'
import type { EnvironmentStoreOptions } from '#runtime/environmentStore.ts'
import { findDataDir, findRunningServers, hasStores } from '#runtime/findDataDir.ts'
import { startupJson, startupText } from '#runtime/startupMessage.ts'
import { waitForStopSignal } from '#runtime/stopSignal.ts'
import type { StorageAdapters } from '#runtime/storage.ts'
import type { Settings } from '#settings/settings.ts'
import aglet from '../package.json' with { type: 'json' }

const { version } = aglet
const clock = systemClock
const print = (output: string) => void process.stdout.write(output)
const printError = (output: string) => void process.stderr.write(terminalText(output))
const logLines = coalesceLines((lines) => void process.stderr.write(lines))
const log = createLog({ write: logLines.write, now: clock.now, isText: process.stderr.isTTY })

const words = process.argv.slice(2)
const isDataGiven =
  process.env.AGLET_DATA !== undefined || words.some((word) => word === '--data' || word.startsWith('--data='))

const storeOptions = (settings: Settings, adapters: StorageAdapters): EnvironmentStoreOptions => ({
  dir: resolveDataDir(settings.data),
  settings,
  adapters,
  clock,
})

/**
 * On large machines V8 lets the old generation grow fourfold before collecting it: 150 MB more. A lower limit costs 0.2 s
 * of CPU time while the server starts, so it is set after the start (docs/performance-changes.md).
 */
const boundHeapGrowth = () => setFlagsFromString('--heap-growing-percent=100')

type DataCommands = Pick<ProgramDeps, 'operate' | 'doctor' | 'init' | 'backup' | 'restore'>
type DataAdapters = StorageAdapters & DatabaseCopier & StorageInspectors

/** The commands on a data directory. `init` and `restore` create one; the others require an existing one. */
function dataCommands(adapters: DataAdapters): DataCommands {
  const optionsOf = (settings: Settings) => storeOptions(settings, adapters)
  const foundOptions = (settings: Settings): EnvironmentStoreOptions => ({
    ...optionsOf(settings),
    dir: findDataDir(settings.data, {
      env: process.env,
      isGiven: isDataGiven,
      isShared: settings.databaseUrl !== undefined,
      printError,
    }),
  })
  return {
    operate: async (call, settings) =>
      (await import('#cli/operator/runOperatorCall.ts')).runOperatorCall(call, foundOptions(settings)),
    async doctor(settings) {
      const options = optionsOf(settings)
      const isThere = isDataGiven || hasStores(options.dir) || findRunningServers(process.env).length === 0
      return (await import('#cli/operator/doctor.ts')).runDoctor({
        ...(isThere ? options : foundOptions(settings)),
        inspectors: adapters,
      })
    },
    init: async (settings) => (await import('#cli/operator/initData.ts')).initData(optionsOf(settings)),
    async backup(request, settings) {
      const { createBackup } = await import('#cli/operator/backup.ts')
      return createBackup({ ...foundOptions(settings), copies: adapters, version }, request)
    },
    async restore(request, settings) {
      const options = optionsOf(settings)
      if (settings.databaseUrl !== undefined)
        return (await import('#cli/operator/moveBackup.ts')).moveBackup(options, request)
      return (await import('#cli/operator/restore.ts')).restoreBackup(options, request)
    },
  }
}

/** Runs the command line of this process with the storage adapters that main chose. */
export async function runCommandLine(adapters: DataAdapters): Promise<number> {
  process.once('exit', logLines.flush)
  // A closed pipe on stdout or stderr does not stop the server.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const optionsOf = (settings: Settings) => storeOptions(settings, adapters)
  // Each command imports its modules on demand, so that a short command does not load the web framework.
  return runProgram(words, {
    version,
    env: process.env,
    print,
    printError,
    readInput: () => text(process.stdin),
    ask: (question) => askTerminal(question, process.stdin, process.stderr),
    ...dataCommands(adapters),
    importDeps: async () => (await import('#cli/operator/importDeps.ts')).importDeps,
    async preview({ ratesFile }) {
      const { previewLines } = await import('#cli/operator/previewLines.ts')
      const { openExchangeRates } = await import('#plugin/exchangeRates.ts')
      await previewLines(process.stdin, process.stdout, {
        now: clock.now,
        rates: openExchangeRates(ratesFile, { clock, log }),
      })
    },
    async simulate(settings) {
      const { simulateLines } = await import('#cli/operator/simulateLines.ts')
      const { outboundGuard, openCustomerSandbox } = await import('#runtime/sharedRuntime.ts')
      const { openParser } = await import('#sandbox/parseCode.ts')
      const { run: runCode, close } = openCustomerSandbox(settings)
      const parseCode = openParser()
      const deps = { parseCode, runCode, brand: settings.brand, guard: outboundGuard(settings), now: clock.now }
      return simulateLines(process.stdin, process.stdout, deps).finally(close)
    },
    async serve(settings, { asJson, signIn }) {
      keepHiddenClasses()
      const options = { ...optionsOf(settings), member: { version, log } }
      // Before the server's modules are loaded, so that an unwritable directory is reported at once.
      createDataDir(options.dir, environments)
      const { serve } = await import('#runtime/serve.ts')
      const formatMessage = asJson ? startupJson : startupText
      await serve({
        version,
        options,
        signIn,
        env: process.env,
        log,
        started(boundSettings, environments) {
          print(formatMessage(version, environments, boundSettings))
          boundHeapGrowth()
        },
        stopped: waitForStopSignal(process, clock),
      })
    },
  })
}
