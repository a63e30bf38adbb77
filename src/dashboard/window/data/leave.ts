import type { TeamPlace } from '#dashboard/addresses.ts'
import { apiPath, basePath } from '#dashboard/addresses.ts'
import { signOut } from '#dashboard/api/sessionClient.ts'
import { queries } from './query.ts'

/** Signs the person out, clears the cache, and shows the sign-in page with the reason. */
export async function leaveDashboard({ environment }: TeamPlace): Promise<void> {
  await signOut({ apiPath: apiPath(environment), origin: location.origin }).catch(() => undefined)
  queries.clear()
  location.assign(`${basePath(environment)}?signedOut`)
}
