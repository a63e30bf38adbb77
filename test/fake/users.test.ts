import { describe } from 'node:test'
import { emailLaws } from '../../src/store/emails.suite.ts'
import { fakeUsers } from './users.ts'

describe('users in memory, for tests', () => {
  const { users } = fakeUsers()
  emailLaws(() => users)
})
