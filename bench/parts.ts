import type { Part } from './part.ts'
import { backlog } from './parts/backlog.ts'
import { channels } from './parts/channels.ts'
import { delivery } from './parts/delivery.ts'
import { intake } from './parts/intake.ts'
import { memory } from './parts/memory.ts'
import { providersPart } from './parts/providers.ts'
import { readersPart } from './parts/readers.ts'
import { sandbox } from './parts/sandbox.ts'
import { sdk } from './parts/sdk.ts'
import { sources } from './parts/sources.ts'
import { start } from './parts/start.ts'
import { tags } from './parts/tags.ts'
import { users } from './parts/users.ts'

/** The parts of the benchmark, in their order. docs/performance.md describes what each measures. */
export const parts: readonly Part[] = [
  intake,
  sources,
  delivery,
  sandbox,
  providersPart,
  sdk,
  start,
  memory,
  readersPart,
  channels,
  backlog,
  users,
  tags,
]
