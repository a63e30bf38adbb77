import assert from 'node:assert/strict'
import { makePerson, makeSession, password } from '../../test/fake/sessionCases.ts'
import { cost } from '../../test/fake/testControl.ts'
import { type FormBrowser, openFormBrowser, openTestServer } from '../../test/fake/testServer.ts'
import { createPasswordHasher, type PasswordHasher } from './password.ts'
import { findSession } from './session.ts'

export const [signInPath, linkPath] = ['/v1/account/sign-in', '/v1/person/sandbox']
export const cookies = { production: 'aglet_session /v1', sandbox: 'aglet_sandbox_session /sandbox/v1' } as const
export const otherPassword = 'another horse'

/** A server whose two environments can be linked. */
export async function openLinkServer() {
  const hasher = createPasswordHasher({ cost })
  /** The environment and purpose of each check of a password. */
  const checked: string[] = []
  const passwords: PasswordHasher = {
    ...hasher,
    fits(given, stored, request) {
      checked.push(`${request.environment} ${request.purpose}`)
      return hasher.fits(given, stored, request)
    },
  }
  const place = await openTestServer(passwords)
  const { production, sandbox } = place.environments
  let people = 0

  const signIn = (browser: FormBrowser, email: string, given = password) =>
    browser.send(signInPath, { email, password: given })
  const sessionIn = async (browser: FormBrowser, environment: keyof typeof cookies) => {
    const secret = browser.jar.get(cookies[environment])?.value
    return secret && (await findSession(place.environments[environment], secret))?.person.personId
  }

  /** A person of both environments, with different e-mails and passwords, and a browser that is signed in to production. */
  async function openLinkPerson() {
    const [email, sandboxEmail] = [`ada${++people}@example.com`, `ada${people}@sandbox.example`]
    const personId = await makePerson(production, email)
    const sandboxId = await makePerson(sandbox, sandboxEmail)
    const sandboxSession = await makeSession(sandbox, sandboxId)
    await setSandbox({ password: otherPassword, currentPassword: password })
    const browser = openFormBrowser(place)
    await signIn(browser, email)
    const link = (fields: object = {}) =>
      browser.call('POST', linkPath, {
        email: sandboxEmail,
        password: otherPassword,
        currentPassword: password,
        ...fields,
      })
    async function setSandbox(body: object) {
      const headers = { authorization: `Bearer ${sandboxSession}`, 'content-type': 'application/json' }
      const init = { method: 'PUT', headers, body: JSON.stringify(body) }
      assert.equal((await fetch(`${sandbox.baseUrl}/person`, init)).status, 200)
    }
    const state = async () =>
      ((await browser.call('GET', '/v1/session')).body.person as { sandbox?: string } | undefined)?.sandbox
    const stored = async () => (await production.store.accounts.person(personId))!
    /** True if a new sign-in to production also signs the same person in to the sandbox. */
    async function opensBoth(given = password): Promise<boolean> {
      const another = openFormBrowser(place)
      await signIn(another, self.email, given)
      assert.equal(await sessionIn(another, 'production'), personId)
      const there = await sessionIn(another, 'sandbox')
      assert.ok(there === undefined || there === sandboxId)
      return there !== undefined
    }
    const self = { email, sandboxEmail, personId, sandboxId, browser, link, setSandbox, state, stored, opensBoth }
    return self
  }
  return { checked, passwords, place, production, sandbox, signIn, sessionIn, openLinkPerson }
}
