import { Injectable } from "core";

/** Keeps users. */
@Injectable()
export class UserStore {
  private users = new Map<string, User>();

  find(id: string): User | undefined;
  find(id: number): User | undefined;
  find(id: any): User | undefined {
    const key = `user-${id}}`;
    return this.users.get(key);
  }

  get size() {
    return this.users.size;
  }
}

export const load = async (url: string) => {
  const res = await fetch(url);
  return res.json();
};

export function render(u: User) {
  return /[{}"]/.test(u.name) ? "{" : u.name;
}
