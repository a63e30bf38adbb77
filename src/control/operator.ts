import { approveApplication, showApplication } from '#account/application.ts'
import { createTeam as makeTeam, showTeam } from '#account/team.ts'
import type { PublishedPolicy } from '#contract/operator.ts'
import { latestVersions, publishPolicy as publish } from '#policy/policy.ts'
import type { PolicyVersion } from '#store/store.ts'
import type { AnswerFor } from './controlDeps.ts'

export const listTeams: AnswerFor<'listTeams'> = async (_call, deps) => ({
  teams: (await deps.store.teams()).map(showTeam),
})

export const createTeam: AnswerFor<'createTeam'> = async ({ body, access, from }, deps) => {
  const by = access.person.personId
  const { teamId } = await makeTeam(deps, body.name, by, from)
  deps.log({ message: 'changed', what: 'createTeam', by, teamId, object: teamId })
  return showTeam((await deps.store.team(teamId))!)
}

export const listPendingApplications: AnswerFor<'listPendingApplications'> = async (_call, deps) => {
  const pending = await deps.store.accounts.pendingApplications()
  const applications = pending.map(async (application) => ({
    ...showApplication(application, []),
    teamId: application.teamId,
    teamName: (await deps.store.team(application.teamId))?.name ?? '',
  }))
  return { applications: await Promise.all(applications) }
}

export const approvePendingApplication: AnswerFor<'approvePendingApplication'> = async (
  { params, access, from },
  deps,
) => {
  const by = access.person.personId
  const application = await approveApplication(deps, params.applicationId, { by, from })
  const { applicationId, teamId } = application
  deps.log({ message: 'changed', what: 'approveApplication', by, teamId, object: applicationId })
  return showApplication(application, await deps.store.accounts.issuedTokens(applicationId, deps.clock.now()))
}

const showPolicy = (policy: PolicyVersion, published: readonly PolicyVersion[]): PublishedPolicy => ({
  ...policy,
  isLatest: latestVersions(published).includes(policy),
})

export const listPublishedPolicies: AnswerFor<'listPublishedPolicies'> = async (_call, deps) => {
  const published = await deps.store.policies()
  return { policies: published.map((policy) => showPolicy(policy, published)) }
}

export const publishPolicy: AnswerFor<'publishPolicy'> = async ({ body, access, from }, deps) => {
  const by = access.person.personId
  const { policyType, version } = await publish(deps, body, by, from)
  deps.log({ message: 'changed', what: 'publishPolicy', by, object: `${policyType}@${version}` })
  const published = await deps.store.policies()
  const policy = published.find((each) => each.policyType === policyType && each.version === version)!
  return showPolicy(policy, published)
}

export const readHealth: AnswerFor<'readHealth'> = async (_call, { server }) => {
  const { ready: isReady, checks } = await server.ready()
  return { version: server.version, isReady, checks, advice: server.advice() }
}

export const readSettings: AnswerFor<'readSettings'> = (_call, { server }) => ({ settings: server.settings() })
