/**
 * What each kind of caller gets under each rule. `table.ts` says which rule each route has.
 *
 *   ok         allowed: the response has the route's status
 *   own        allowed for the caller's own things; other users' things look as if they didn't exist
 *   read       allowed if the method is GET, otherwise 403 forbidden
 *   scope      allowed if the key has all scopes of the rule, otherwise 403 missing_scope
 *   scope/404  allowed if the key has all scopes of the rule, otherwise 404 not_found
 *   password   401 password_required
 *   401        401 unauthenticated
 *   403        403 forbidden
 *   404        404 not_found, the same as for a thing that doesn't exist
 */
const outcomeTables = [
  // A rule that lists scopes has the column `scopes`. `form` is a form that other sites' pages must not submit.
  `caller                   | anyone | form | page | scopes | session | admin | metrics
   nobody                   | ok     | ok   | ok   | 401    | 401     | 401   | 401
   unknown key              | ok     | ok   | 401  | 401    | 401     | 401   | 401
   revoked key              | ok     | ok   | 401  | 401    | 401     | 401   | 401
   expired key              | ok     | ok   | 401  | 401    | 401     | 401   | 401
   key from another address | ok     | ok   | 403  | 403    | 403     | 403   | 401
   ended session            | ok     | ok   | ok   | 401    | 401     | 401   | 401
   expired session          | ok     | ok   | ok   | 401    | 401     | 401   | 401
   owner                    | ok     | ok   | ok   | ok     | ok      | 403   | 401
   owner, on another site   | ok     | 403  | ok   | read   | read    | 403   | 401
   stranger                 | ok     | ok   | ok   | own    | own     | 403   | 401
   admin                    | ok     | ok   | ok   | own    | own     | ok    | 401
   owner's key              | ok     | ok   | ok   | scope  | 403     | 403   | 401
   stranger's key           | ok     | ok   | ok   | own    | 403     | 403   | 401
   guest with the password  | ok     | ok   | ok   | 401    | 401     | 401   | 401
   metrics token            | ok     | ok   | 401  | 401    | 401     | 401   | ok`,

  // Rules for the owner's websites, by their privacy setting: for reading the statistics, and for unlocking them with
  // the correct password.
  `caller                   | public | private | locked   | unlock public | unlock private | unlock locked
   nobody                   | ok     | 404     | password | ok            | 404            | ok
   unknown key              | 401    | 401     | 401      | 401           | 401            | 401
   revoked key              | 401    | 401     | 401      | 401           | 401            | 401
   expired key              | 401    | 401     | 401      | 401           | 401            | 401
   key from another address | 403    | 403     | 403      | 403           | 403            | 403
   ended session            | ok     | 404     | password | ok            | 404            | ok
   expired session          | ok     | 404     | password | ok            | 404            | ok
   owner                    | ok     | ok      | ok       | ok            | ok             | ok
   owner, on another site   | ok     | ok      | ok       | 403           | 403            | 403
   stranger                 | ok     | 404     | password | ok            | 404            | ok
   admin                    | ok     | 404     | password | ok            | 404            | ok
   owner's key              | ok     | scope   | scope    | ok            | scope/404      | ok
   stranger's key           | ok     | 404     | password | ok            | 404            | ok
   guest with the password  | ok     | 404     | ok       | ok            | 404            | ok
   metrics token            | 401    | 401     | 401      | 401           | 401            | 401`,

  `caller                   | settings public | settings private | settings locked
   nobody                   | 404             | 404              | 404
   unknown key              | 401             | 401              | 401
   revoked key              | 401             | 401              | 401
   expired key              | 401             | 401              | 401
   key from another address | 403             | 403              | 403
   ended session            | 404             | 404              | 404
   expired session          | 404             | 404              | 404
   owner                    | ok              | ok               | ok
   owner, on another site   | ok              | ok               | ok
   stranger                 | 404             | 404              | 404
   admin                    | 404             | 404              | 404
   owner's key              | scope/404       | scope            | scope
   stranger's key           | 404             | 404              | 404
   guest with the password  | 404             | 404              | 404
   metrics token            | 401             | 401              | 401`,

  // Rules for the owner's status pages, by their privacy setting. Only the owner's session opens a private page. The
  // guest has the password of a website, which opens no status page.
  `caller                   | status public | status private | status locked
   nobody                   | ok            | 404            | password
   unknown key              | 401           | 401            | 401
   revoked key              | 401           | 401            | 401
   expired key              | 401           | 401            | 401
   key from another address | 403           | 403            | 403
   ended session            | ok            | 404            | password
   expired session          | ok            | 404            | password
   owner                    | ok            | ok             | ok
   owner, on another site   | ok            | ok             | ok
   stranger                 | ok            | 404            | password
   admin                    | ok            | 404            | password
   owner's key              | ok            | 404            | password
   stranger's key           | ok            | 404            | password
   guest with the password  | ok            | 404            | password
   metrics token            | 401           | 401            | 401`,

  // Accepting an invitation: with a session, or with the link alone.
  `caller                   | link
   nobody                   | ok
   unknown key              | 401
   revoked key              | 401
   expired key              | 401
   key from another address | 403
   ended session            | ok
   expired session          | ok
   owner                    | ok
   owner, on another site   | 403
   stranger                 | ok
   admin                    | ok
   owner's key              | 403
   stranger's key           | 403
   guest with the password  | ok
   metrics token            | 401`,
]

const splitCells = (line: string) => line.split('|').map((cell) => cell.trim())

/** The outcomes by rule, then by caller. */
export const outcomes = new Map<string, Map<string, string>>(
  outcomeTables.flatMap((table) => {
    const [[, ...rules] = [], ...rows] = table.split('\n').map(splitCells)
    return rules.map((rule, n): [string, Map<string, string>] => [
      rule,
      new Map(rows.map(([caller = '', ...cells]) => [caller, cells[n] ?? ''])),
    ])
  }),
)
