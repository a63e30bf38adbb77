import { Fault, fault } from '#contract/fault.ts'
import type { SandboxLinkState } from '#contract/session.ts'
import type { PersonRecord } from '#store/accounts.ts'
import { auditChange } from './accountDeps.ts'
import { createAttemptLimiter } from './attemptLimiter.ts'
import { reloadPerson } from './changeSignIn.ts'
import { changePerson, openProfile, openSandboxLink, replacePerson, type SandboxLink, sealProfile } from './person.ts'
import type { SandboxAccounts } from './sandboxAccounts.ts'
import type { NewSession, SignedInPerson } from './session.ts'
import type { CheckDeps, Credentials } from './signInLimiter.ts'

/** `email` and `password` are those of the sandbox; `currentPassword` is that of production. */
type SandboxCredentials = Credentials & { currentPassword: string }

/** One sign-in for both environments: signing in to production also signs in to the sandbox. Absent elsewhere. */
export type SandboxLinks = {
  state(person: PersonRecord): Promise<SandboxLinkState>
  /**
   * Links the person to a sandbox account, replacing an earlier link. Checks both passwords; a refusal does not reveal
   * which one was wrong. Throws signInRefused, tooManyAttempts, overloaded, sessionRefused, passwordRefused.
   */
  link(who: SignedInPerson, credentials: SandboxCredentials, from: string): Promise<void>
  unlink(who: SignedInPerson, from: string): Promise<void>
  /** Signs in to the sandbox a person who has just entered the production password; undefined unless linked. */
  signIn(personId: string, from: string): Promise<NewSession | undefined>
}

const isRefusal = (error: unknown) => error instanceof Fault && error.fault === 'signInRefused'

/** Takes the dependencies of production. */
export function openSandboxLinks(deps: CheckDeps, sandbox: SandboxAccounts): SandboxLinks {
  const { store, keys, passwords, environment } = deps
  const attempts = createAttemptLimiter(deps)
  const write = (who: SignedInPerson, from: string, what: string, link?: SandboxLink) =>
    changePerson(who.person.personId, async () => {
      const person = await reloadPerson(deps, who)
      const { personId } = person
      const { name, email = '' } = openProfile(person, keys)
      const row = { ...person, ...sealProfile(personId, { name, email, sandbox: link }, keys) }
      const audit = auditChange(deps, { by: personId, from }, { what, object: personId })
      await store.write([...replacePerson(deps, person, row), audit])
    })
  return {
    async state(person) {
      const link = openSandboxLink(person, keys)
      if (!link) return 'notLinked'
      return (await sandbox.holds(person.personId, link)) ? 'linked' : 'ended'
    },
    async link(who, { currentPassword, ...credentials }, from) {
      const { personId, password } = who.person
      const request = { environment, purpose: 'change', key: personId } as const
      // Counted with the changes of the person, because the current password could be guessed here too.
      const link = await attempts.runCounted([attempts.name('change of a person', personId, 5)], async () => {
        const isOwn = await passwords.fits(currentPassword, password, request)
        const proved = await sandbox.prove(personId, credentials, from).catch((error) => {
          if (!isRefusal(error)) throw error
        })
        if (isOwn && password !== undefined && proved) return proved
        throw fault('signInRefused', { message: 'The e-mail or one of the two passwords is wrong.' })
      })
      await write(who, from, 'linkSandbox', link)
    },
    async unlink(who, from) {
      if (openSandboxLink(who.person, keys)) await write(who, from, 'unlinkSandbox')
    },
    async signIn(personId, from) {
      const person = await store.accounts.person(personId)
      const link = person && openSandboxLink(person, keys)
      return link && sandbox.signIn(personId, link, from)
    },
  }
}
