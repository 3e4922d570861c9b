import type { Problems } from './found-problems.ts'
import type { RunBase } from './run.ts'

export async function storeProblems({
  client,
  realm,
  importId,
  plan: { problems },
}: RunBase & { plan: Problems }): Promise<void> {
  await client.query(
    `insert into import_problems (realm_id, import_id, number, kind, place, error)
     select $1, $2, number, kind, place, error
       from unnest($3::text[], $4::text[], $5::text[]) with ordinality as one(kind, place, error, number)
         on conflict do nothing`,
    [
      realm.id,
      importId,
      problems.map(({ kind }) => kind),
      problems.map(({ place }) => place),
      problems.map(({ error }) => error),
    ],
  )
}
