import { describe } from 'node:test'
import { emailLaws } from '../../src/store/emails.suite.ts'
import { fakeUsers } from './users.ts'

describe('the fake users in memory', () => {
  const { users } = fakeUsers()
  emailLaws(() => users)
})
