import { everyScope } from '#contract/scopes.ts'
import type { PersonRecord } from '#store/accounts.ts'
import type { AccountDeps } from './accountDeps.ts'
import { findRole } from './membership.ts'
import { roleScopes } from './roleScopes.ts'
import type { TeamAccess } from './teamAccess.ts'

/** The `application` of a signed-in person's access. Registered applications have ids of another form. */
const sessionApplication = 'session'

/** Undefined if the person is not in the team. */
export type FindPersonAccess = (person: PersonRecord, teamId: string) => Promise<TeamAccess | undefined>

/**
 * Finds the access of a person by their role. The role is read at each call, so that its change takes effect at once.
 * The operator has the operator's scopes as well.
 */
export const createPersonAccess =
  (deps: AccountDeps): FindPersonAccess =>
  async (person, teamId) => {
    const role = await findRole(deps, person, teamId)
    if (!role) return undefined
    await deps.keys.findTeamKey(teamId)
    const { personId } = person
    const scopes = new Set(person.role === 'operator' ? everyScope : roleScopes(role))
    return { by: personId, personId, teamId, application: sessionApplication, scopes }
  }
