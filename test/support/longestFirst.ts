import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Whole services, browsers and kills: any of them begun last would run on alone. */
const LONG = /\/test\/(dashboard|durability|nodes|badInput)\/|\/readModels\/|\/test\/proxy\//;

/** Long files first, also where no earlier run has told which these are. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    if (files.some((file) => this.ctx.cache.getTestSpecificationResult(file))) return sorted;
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
