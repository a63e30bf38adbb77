import { equalBytes } from '#kit/cipher.ts'
import type { PersonRecord } from '#store/accounts.ts'
import { type AccountDeps, auditChange } from './accountDeps.ts'
import { changePerson, type SandboxLink } from './person.ts'
import { createSession, isStored, type NewSession } from './session.ts'
import { type CheckDeps, type Credentials, createPasswordCheck } from './signInLimiter.ts'

/**
 * Everything that production can request from the sandbox, if one process serves both. `owner`: the person's id in
 * production. No key, token or row of either environment is passed.
 */
export type SandboxAccounts = {
  /** Checks an e-mail and a password of the sandbox, within its limits. Throws signInRefused, tooManyAttempts, overloaded. */
  prove(owner: string, credentials: Credentials, from: string): Promise<SandboxLink>
  /** True if the linked person still has the e-mail and the password of the time of linking. */
  holds(owner: string, link: SandboxLink): Promise<boolean>
  /** A new session; undefined if the link is no longer valid. */
  signIn(owner: string, link: SandboxLink, from: string): Promise<NewSession | undefined>
}

/** The salt in the stored password makes each proof unique: setting the same password again invalidates it. */
const proofOf = ({ keys }: Pick<AccountDeps, 'keys'>, owner: string, person: PersonRecord) => {
  const { personId, password = '', emailKey = new Uint8Array() } = person
  const email = Buffer.from(emailKey).toString('base64url')
  return keys.hashToken(['sign-in by production', owner, personId, email, password].join('\0'))
}

/** Takes the dependencies of the sandbox. */
export function openSandboxAccounts(deps: CheckDeps): SandboxAccounts {
  const checkPassword = createPasswordCheck(deps)
  async function find(owner: string, { personId, proof }: SandboxLink): Promise<PersonRecord | undefined> {
    const person = await deps.store.accounts.person(personId)
    const isProved = person && equalBytes(proofOf(deps, owner, person), Buffer.from(proof, 'base64url'))
    return isProved ? person : undefined
  }
  return {
    async prove(owner, credentials, from) {
      const person = await checkPassword(credentials, from)
      const { personId } = person
      await deps.store.write([auditChange(deps, { by: personId, from }, { what: 'linkSandbox', object: personId })])
      return { personId, proof: proofOf(deps, owner, person).toString('base64url') }
    },
    holds: async (owner, link) => (await find(owner, link)) !== undefined,
    // Serialised with password changes, so that a change also ends this session. If another process changes the
    // password, no session is stored.
    signIn: (owner, link, from) =>
      changePerson(link.personId, async () => {
        const person = await find(owner, link)
        if (!person) return undefined
        const { personId, password } = person
        const { session, changes } = createSession(deps, personId, { password })
        const audit = auditChange(deps, { by: personId, from }, { what: 'signInByProduction', object: personId })
        await deps.store.write([...changes, audit])
        return (await isStored(deps, session)) ? session : undefined
      }),
  }
}
