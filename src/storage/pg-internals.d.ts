// The one function of pg that it uses itself and does not declare: JavaScript values as PostgreSQL reads them.
declare module 'pg/lib/utils.js' {
  export function prepareValue(value: unknown): string | Buffer | null
}
