import type { ImportDeps } from '#import/channels.ts'
import type { Settings } from '#settings/settings.ts'
import type { DoctorFinding, OperatorCall, OperatorOutcome } from './operatorCall.ts'

/** The dependencies of the command line. */
export type ProgramDeps = {
  version: string
  env: Readonly<Record<string, string | undefined>>
  /** `print` writes results to standard output; `printError` writes everything else to standard error. */
  print(text: string): void
  printError(text: string): void
  /** Reads standard input to its end. */
  readInput(): Promise<string>
  /** The line typed as the answer; undefined without a terminal. */
  ask(question: string): Promise<string | undefined>
  /** Resolves when the server has stopped. */
  serve(settings: Settings, request: { asJson: boolean; signIn: boolean }): Promise<void>
  operate(call: OperatorCall, settings: Settings): Promise<OperatorOutcome>
  preview(settings: Settings): Promise<void>
  /** Resolves with whether the code ran without an error for every line. */
  simulate(settings: Settings): Promise<boolean>
  doctor(settings: Settings): Promise<DoctorFinding[]>
  /** Creates a data directory. Besides it, only `serve` and `restore` do so. */
  init(settings: Settings): Promise<Record<string, unknown>>
  backup(request: { file: string; withRootKey?: boolean }, settings: Settings): Promise<Record<string, unknown>>
  /** The provider and rule facts for imports. */
  importDeps(): Promise<ImportDeps>
  restore(request: { file: string; force?: boolean }, settings: Settings): Promise<Record<string, unknown>>
}
