/**
 * The command line as this installation's user types it. A `.js` file is in the published package, a `.ts` file in a
 * checkout.
 */
export function nameOwnCommand(file: string, npmCommand: string | undefined): string {
  if (file.endsWith('.ts')) return 'npm run -s aglet --'
  return npmCommand === 'exec' ? 'npx aglet' : 'aglet'
}

/** Stands before the words of a command in hints. */
export const ownCommand = nameOwnCommand(import.meta.filename, process.env.npm_command)
