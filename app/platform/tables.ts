import type { Generated } from 'kysely'

/** Rows as the migrations in db/migrations leave them. */
export interface Tables {
  profiles: ProfilesRow
  accounts: AccountsRow
}

interface ProfilesRow {
  id: string
  name: string
  email: string
  email_verified: Generated<boolean>
  image: string | null
  role: 'admin' | 'prensa' | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

interface AccountsRow {
  id: string
  user_id: string
  account_id: string
  provider_id: string
  password: string | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}
