/** Where paths on the command line begin: `npm run aglet` moves to the package, its caller did not. */
export function folderOf(env: Readonly<Record<string, string | undefined>>): string {
  const isOurs = env.npm_package_name === 'aglet' && env.npm_lifecycle_event === 'aglet'
  return (isOurs && env.INIT_CWD) || process.cwd()
}
