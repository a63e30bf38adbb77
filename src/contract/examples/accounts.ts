import type { Application } from '../account.ts'
import { at, createdAt, exampleValues, type OperationExamples } from './example.ts'

const { applicationId, tokenId, personId, invitationId } = exampleValues
const dayMs = 86_400_000
const scopes: ('script:read' | 'script:write')[] = ['script:read', 'script:write']

const token = { tokenId, scopes, expiresAt: at + 90 * dayMs }
const application: Application = {
  applicationId,
  name: 'Channel wizard',
  scopes,
  redirectUris: ['https://wizard.example.com/signed-in'],
  isPublic: false,
  status: 'pending',
  createdAt,
  tokens: [],
}
const approved: Application = { ...application, status: 'approved' }
const member = { personId, name: 'Jane Doe', email: 'jane@example.com', role: 'editor', createdAt } as const
const invitation = { invitationId, role: 'editor', createdAt, expiresAt: at + 7 * dayMs } as const
const clientSecret = 'aglet_secret_5wB1tqkXz7Ry2mNc9vLd0sHf'

export const accountExamples = {
  createApplication: {
    body: { name: application.name, scopes, redirectUris: application.redirectUris },
    response: { ...application, clientSecret },
  },
  listApplications: { response: { applications: [{ ...approved, tokens: [{ ...token, createdAt: at }] }] } },
  approveApplication: { response: approved },
  rotateClientSecret: {
    body: { keepBefore: '24h' },
    response: { applicationId, clientSecret, beforeEndsAt: at + dayMs },
  },
  deleteApplication: { response: { applicationId } },
  createApplicationToken: {
    body: { scopes, expires: '90d' },
    response: { ...token, token: 'aglet_live_4kT9wQz1mXc7Rb2sYv8Ld5Jh3Np6Gf0EaUiOxKtBr2q1Zc9Ws' },
  },
  deleteToken: { response: { tokenId } },
  listMembers: { response: { members: [member] } },
  updateMember: { body: { role: 'editor' }, response: member },
  deleteMember: { response: { personId } },
  createInvitation: {
    body: { role: 'editor', expires: '7d' },
    response: { ...invitation, url: 'https://aglet.example.com/v1/account/invitation/Vb3kq0mX…' },
  },
  listInvitations: { response: { invitations: [invitation] } },
  deleteInvitation: { response: { invitationId } },
} satisfies OperationExamples
