import type { ServerSetting } from '#contract/operator.ts'
import type { Readiness } from '#http/healthRoutes.ts'

/** The server report for the operator. */
export type ServerReport = {
  version: string
  ready(): Promise<Readiness>
  advice(): string[]
  settings(): ServerSetting[]
}
