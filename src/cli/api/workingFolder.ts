/** The folder of relative paths. `npm run aglet` changes to the package's folder, so INIT_CWD is used there. */
export function workingFolder(env: Readonly<Record<string, string | undefined>>): string {
  const isOurs = env.npm_package_name === 'aglet' && env.npm_lifecycle_event === 'aglet'
  return (isOurs && env.INIT_CWD) || process.cwd()
}
