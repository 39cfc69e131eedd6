/** Tries to connect to PostgreSQL as each role, and prints the roles that it accepts. Tests run this as another system user. */
import pg from 'pg'

const [socketFolder = '', ...roles] = process.argv.slice(2)
const acceptedRoles: string[] = []
const refusals: string[] = []
for (const role of roles) {
  const client = new pg.Client({ host: socketFolder, user: role, database: 'postgres', ssl: false })
  try {
    await client.connect()
    acceptedRoles.push(role)
    await client.end()
  } catch (error) {
    refusals.push((error as Error).message)
  }
}
process.stdout.write(JSON.stringify({ acceptedRoles, refusals }))
