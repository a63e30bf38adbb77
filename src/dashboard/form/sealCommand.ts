/** The command that seals a secret if the browser cannot: it reads the value from `secret.txt`. */
export const sealCommand = (provider: string, variable: string, type: string, environment: string) =>
  `npm run -s aglet -- secret seal --base-url "$BASE_URL" --token "$TOKEN" --team "$TEAM_ID" \\\n  --provider ${provider} --variable ${variable} --type ${type} --value - < secret.txt   # ${environment}`
