import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** More than a minute each, however short the file is; then whole services, browsers and kills. Begun last, any of them runs on alone. */
const LONG = [
  /\/(accessibility|killNine)\.int\./,
  /\/test\/(dashboard|durability|nodes|badInput)\/|\/readModels\/|\/test\/proxy\//,
];

/** Long files first, also where no earlier run has told which these are. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    if (files.some((file) => this.ctx.cache.getTestSpecificationResult(file))) return sorted;
    return sorted.sort((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONG.findIndex((names) => names.test(moduleId));
  return rank === -1 ? LONG.length : rank;
}
