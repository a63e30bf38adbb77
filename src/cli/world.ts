import type { Settings } from '#contract/settings.ts'
import type { Call, Finding, Outcome } from './call.ts'

/** What the command line stands on. */
export type ProgramWorld = {
  version: string
  env: Readonly<Record<string, string | undefined>>
  /** Standard output takes results, standard error everything else. */
  print(text: string): void
  complain(text: string): void
  /** All of standard input. */
  readInput(): Promise<string>
  /** A line that somebody types after the question; undefined where nobody is there to ask. */
  ask(question: string): Promise<string | undefined>
  /** Resolves when the server has stopped. */
  serve(settings: Settings, asked: { asJson: boolean; signIn: boolean }): Promise<void>
  operate(call: Call, settings: Settings): Promise<Outcome>
  preview(settings: Settings): Promise<void>
  simulate(settings: Settings): Promise<void>
  doctor(settings: Settings): Promise<Finding[]>
  backup(asked: { file: string; withRootKey?: boolean }, settings: Settings): Promise<Record<string, unknown>>
  restore(asked: { file: string; force?: boolean }, settings: Settings): Promise<Record<string, unknown>>
}
