"""sqlalchemy_app.py LEVEL -- SQLAlchemy reads an account, waits for another
thread that has read it, too, and flushes it."""

import os
import sys
import threading

from sqlalchemy import Column, Integer, Text, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.declarative import declarative_base
from sqlalchemy.orm import sessionmaker

engine = create_engine(os.environ["DATABASE_URL"],
                       isolation_level=sys.argv[1].upper())
Base = declarative_base()


class Account(Base):
    __tablename__ = "account"
    id = Column(Integer, primary_key=True)
    owner = Column(Text)
    balance = Column(Integer)


def work(barrier, n):
    for i in range(1, 4):
        session = sessionmaker(engine)()
        try:
            account = session.query(Account).filter_by(id=i).one()
            try:
                barrier.wait(2)
            except threading.BrokenBarrierError:
                barrier.reset()
            with session.begin_nested():
                account.balance += n
            session.query(Account).filter(Account.balance > 1000).count()
            session.commit()
        except DBAPIError:
            session.rollback() # 40001
        finally:
            session.close()


barrier = threading.Barrier(2)
threads = [threading.Thread(target=work, args=(barrier, n)) for n in (1, 10)]
for t in threads:
    t.start()
for t in threads:
    t.join()
