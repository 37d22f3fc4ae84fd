import type pg from 'pg'
import { about } from './consistency.ts'

/** Orders a publication, as the panel does, in which three screens (/, /nuestra-historia, /medios) contain a word. */
export const publish = (connection: pg.PoolConfig, word: string): Promise<void> =>
  about(connection, async (pool) => {
    await pool.query(
      `insert into publicaciones (edicion, huella, valores, archivos, origen, created_at)
        select edicion, $1, jsonb_set(jsonb_set(jsonb_set(valores::jsonb, '{inicio.yaml,introduccion}', $2::jsonb),
          '{historia.yaml,entrada}', $2::jsonb), '{prensa.yaml,bienvenida,0}', $2::jsonb)::json, archivos, 'panel', now()
        from publicaciones where id = (select publicacion from ediciones where actual)
        on conflict do nothing`,
      [word, JSON.stringify(word)],
    )
    await pool.query(`select pg_notify('edicion', '')`)
  })
