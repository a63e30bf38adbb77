import { openSandboxAccounts } from '#account/sandboxAccounts.ts'
import { openSandboxLinks } from '#account/sandboxLinks.ts'
import type { CheckDeps } from '#account/signInLimiter.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { ControlDeps } from '#control/controlDeps.ts'

/** Lets people of production link their sandbox accounts, like a process that serves both. */
export function offerSandboxLinks(
  { production, sandbox }: Record<EnvironmentName, ControlDeps>,
  passwords: CheckDeps['passwords'],
): void {
  const accounts = openSandboxAccounts({ ...sandbox, passwords })
  production.sandboxLinks = openSandboxLinks({ ...production, passwords }, accounts)
}
