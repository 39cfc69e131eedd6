/** Says that a setting can't be changed on this page, and where it can. */
export function EnvironmentNote({ variables }: { variables: readonly string[] }) {
  return (
    <p class="small muted">
      {variables.map((name, index) => (
        <span key={name}>
          {index > 0 && ' and '}
          <code>{name}</code>
        </span>
      ))}{' '}
      {variables.length === 1 ? 'sets' : 'set'} this on the server, in its environment or its configuration file, so it
      can't be changed on this page. Change it there, then restart Belfry.
    </p>
  )
}
