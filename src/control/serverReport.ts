import type { ServerSetting } from '#contract/operator.ts'
import type { Readiness } from '#http/healthRoutes.ts'

/** What the operator reads of the server. */
export type ServerReport = {
  version: string
  ready(): Promise<Readiness>
  advice(): string[]
  settings(): ServerSetting[]
}
