import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from './ownFiles.ts'

/** The command line as this installation's user types it. */
export function nameOwnCommand(isCheckout: boolean, npmCommand: string | undefined): string {
  if (isCheckout) return 'npm run -s aglet --'
  return npmCommand === 'exec' ? 'npx aglet' : 'aglet'
}

const isCheckout = existsSync(join(packageFolder, 'src/main.ts'))

/** Prefix of the commands in hints. */
export const ownCommand = nameOwnCommand(isCheckout, process.env.npm_command)
