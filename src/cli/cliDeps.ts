import type { ImportDeps } from '#import/channels.ts'
import type { Settings } from '#settings/settings.ts'
import type { DoctorFinding, OperatorCall, OperatorOutcome } from './operatorCall.ts'

/** The dependencies of the command line. */
export type ProgramDeps = {
  version: string
  env: Readonly<Record<string, string | undefined>>
  /** `print` writes results to standard output; `complain` writes everything else to standard error. */
  print(text: string): void
  complain(text: string): void
  /** Reads standard input to its end. */
  readInput(): Promise<string>
  /** The line that is typed after the question; undefined without a terminal. */
  ask(question: string): Promise<string | undefined>
  /** Resolves when the server has stopped. */
  serve(settings: Settings, request: { asJson: boolean; signIn: boolean }): Promise<void>
  operate(call: OperatorCall, settings: Settings): Promise<OperatorOutcome>
  preview(settings: Settings): Promise<void>
  /** Resolves with whether the code ran without an error for every line. */
  simulate(settings: Settings): Promise<boolean>
  doctor(settings: Settings): Promise<DoctorFinding[]>
  /** Makes a data directory; the only command beside `serve` and `restore` that does. */
  init(settings: Settings): Promise<Record<string, unknown>>
  backup(request: { file: string; withRootKey?: boolean }, settings: Settings): Promise<Record<string, unknown>>
  /** What an import needs to know of the providers and of rules. */
  importDeps(): Promise<ImportDeps>
  restore(request: { file: string; force?: boolean }, settings: Settings): Promise<Record<string, unknown>>
}
