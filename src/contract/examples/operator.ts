import { at, createdAt, exampleValues, type OperationExamples } from './example.ts'

const { teamId, applicationId } = exampleValues
const team = { teamId, name: 'Example Shop', createdAt }
const application = {
  applicationId,
  name: 'Channel wizard',
  scopes: ['script:read' as const],
  redirectUris: ['https://wizard.example.com/signed-in'],
  isPublic: false,
  status: 'pending' as const,
  createdAt,
  tokens: [],
}
const policy = { policyType: 'TERMS_AND_CONDITIONS' as const, version: '2026-11', required: true }
const published = { ...policy, publishedAt: at, isLatest: true }

export const operatorExamples = {
  listTeams: { response: { teams: [team] } },
  createTeam: { body: { name: team.name }, response: team },
  listPendingApplications: { response: { applications: [{ ...application, teamId, teamName: team.name }] } },
  approvePendingApplication: { response: { ...application, status: 'approved' as const } },
  listPublishedPolicies: { response: { policies: [published] } },
  publishPolicy: { body: policy, response: published },
  readHealth: {
    response: { version: '0.1.0', isReady: true, checks: { 'production store': 'ok' }, advice: [] },
  },
  readSettings: {
    response: {
      settings: [{ name: 'AGLET_PORT', value: '4000', isHidden: false, help: 'port to listen on (4000)' }],
    },
  },
} satisfies OperationExamples
